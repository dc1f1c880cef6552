import { useQueryClient } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { useEffect, useId, useRef, useState, type FormEvent } from 'react'
import { notices, type Notice } from '#domain/texts.ts'
import { signedInUserId, useSession } from '#web/session/session.ts'
import { shortLinkUrl, site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { FieldError } from '#web/ui/field.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { createLink } from './create-link.ts'
import { loadDraft, saveDraft } from './draft.ts'
import type { LinkRow } from './link-row-columns.ts'
import { forgetLoadedLinks } from './links-query.ts'
import { LoginDialog } from './login-dialog.tsx'
import { decideShorten } from './shorten-decision.ts'

interface Problem {
  field: 'url' | 'code'
  text: string
}

export function ShortenerForm({ onCreated }: { onCreated: (link: LinkRow) => void }) {
  const id = useId()
  const session = useSession()
  const client = useQueryClient()
  const [form, setForm] = useState(loadDraft)
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const [loginOpen, setLoginOpen] = useState(false)
  const urlField = useRef<HTMLInputElement>(null)
  const codeField = useRef<HTMLInputElement>(null)
  const code = form.code.trim()

  useEffect(() => saveDraft(form), [form])

  function refuse(notice: Notice, field?: 'url' | 'code') {
    notifyError(notice)
    if (field === undefined) return
    setProblem({ field, text: notice.description ?? notice.title })
    const input = field === 'url' ? urlField : codeField
    input.current?.focus()
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (busy) return
    setProblem(undefined)
    const userId = await whoIsAsking()
    const decision = decideShorten({
      ...form,
      signedIn: userId !== null,
      ownHosts: site.ownHosts,
    })
    if (decision.kind === 'login') return setLoginOpen(true)
    if (decision.kind === 'refuse') return refuse(decision.notice, decision.field)
    if (userId !== null) await create(userId, decision)
  }

  // A press that comes before the session is known waits for it.
  async function whoIsAsking(): Promise<string | null> {
    if (session.status === 'loading') return signedInUserId().catch(() => null)
    return session.status === 'signed-in' ? session.userId : null
  }

  async function create(userId: string, wanted: { url: string; customCode: string | null }) {
    setBusy(true)
    const result = await createLink({ userId, ...wanted })
    setBusy(false)
    if (!result.ok) return refuse(result.notice, result.field)
    setForm({ url: '', code: '' })
    notifySuccess(wanted.customCode === null ? notices.created : notices.createdCustom)
    forgetLoadedLinks(client)
    void client.invalidateQueries({ queryKey: ['account', userId, 'usage'] })
    onCreated(result.link)
  }

  const urlProblem = problem?.field === 'url' ? problem.text : undefined
  const codeProblem = problem?.field === 'code' ? problem.text : undefined
  return (
    <>
      <form
        noValidate
        onSubmit={(event) => void submit(event)}
        className="rounded-[1.75rem] border border-line bg-surface p-2.5 shadow-lift sm:p-3"
      >
        <div className="flex flex-col gap-2.5 sm:flex-row">
          <label htmlFor={`${id}-url`} className="sr-only">
            Long URL
          </label>
          <input
            ref={urlField}
            id={`${id}-url`}
            type="url"
            inputMode="url"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            placeholder="https://example.com/a-very-long-address"
            value={form.url}
            onChange={(event) => setForm({ ...form, url: event.target.value })}
            aria-invalid={urlProblem === undefined ? undefined : true}
            aria-describedby={urlProblem === undefined ? undefined : `${id}-url-error`}
            className="h-14 min-w-0 grow rounded-2xl border border-edge bg-paper px-4 text-lg hover:border-ink-faint aria-invalid:border-danger sm:rounded-full sm:px-6"
          />
          <Button type="submit" look="accent" size="large" busy={busy}>
            {busy ? 'Creating...' : 'Shorten'}
            {busy ? null : <ArrowRight size={18} aria-hidden />}
          </Button>
        </div>
        <div className="px-2 empty:hidden sm:px-6">
          <FieldError id={`${id}-url-error`} error={urlProblem} />
        </div>
        <div className="mt-4 grid grid-cols-1 gap-x-4 gap-y-1.5 px-1 pb-1 sm:grid-cols-[auto_minmax(0,20rem)_minmax(0,1fr)] sm:items-center sm:px-6">
          <label htmlFor={`${id}-code`} className="text-sm font-medium">
            Custom code <span className="font-normal text-ink-faint">optional</span>
          </label>
          <div className="flex items-center rounded-full border border-edge bg-paper font-mono text-[15px] hover:border-ink-faint has-aria-invalid:border-danger has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-[var(--focus)]">
            <span aria-hidden className="max-w-[55%] truncate pl-4 leading-11 text-ink-faint">
              {site.host}/
            </span>
            <input
              ref={codeField}
              id={`${id}-code`}
              type="text"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              placeholder="my-link"
              value={form.code}
              onChange={(event) => setForm({ ...form, code: event.target.value.toLowerCase() })}
              aria-invalid={codeProblem === undefined ? undefined : true}
              aria-describedby={`${id}-code-hint${codeProblem === undefined ? '' : ` ${id}-code-error`}`}
              className="h-11 w-24 min-w-0 grow rounded-full bg-transparent pr-4 outline-none"
            />
          </div>
          <div className="min-h-6 text-sm">
            <FieldError id={`${id}-code-error`} error={codeProblem} />
            <p id={`${id}-code-hint`} className="wrap-anywhere text-ink-faint">
              {code === '' ? (
                'Leave it empty for a random one.'
              ) : (
                <>
                  Your link: <span className="font-mono text-ink">{shortLinkUrl(code)}</span>
                </>
              )}
            </p>
          </div>
        </div>
      </form>
      <LoginDialog open={loginOpen} onClose={() => setLoginOpen(false)} />
    </>
  )
}
