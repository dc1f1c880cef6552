import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import * as z from 'zod/mini'
import { namedOn } from '#domain/links/link-address.ts'
import { routes } from '#domain/routes.ts'
import { customCodeProblem, normalizeShortCode } from '#domain/links/short-codes.ts'
import { changeCodeTexts } from '#domain/texts/link-texts.ts'
import { notices } from '#domain/texts/texts.ts'
import { tables } from '#web/api/client.ts'
import type { LinkRow } from '#web/api/database.ts'
import { shownLink } from '#web/shown-link.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { type FormRefusal, useForm } from '#web/forms/use-form.ts'
import { ShortCodeField } from '../form/short-code-field.tsx'

interface ChangeCodeDialogProps {
  link: LinkRow
  userId: string
  open: boolean
  onClose: () => void
}

/** Gives a link another code, and lists its former ones, each to release. */
export function ChangeCodeDialog({ link, userId, open, onClose }: ChangeCodeDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Change code" description={changeCodeTexts.intro}>
      {open ? <ChangeCodeForm link={link} userId={userId} onClose={onClose} /> : null}
    </Dialog>
  )
}

const codeForm = z.object({
  code: z.string().check(
    z.refine(
      (code) => customCodeProblem(code) !== 'characters',
      notices.customCodeCharacters.description,
    ),
    z.refine((code) => customCodeProblem(code) !== 'length', notices.customCodeLength.description),
  ),
})

function ChangeCodeForm({ link, userId, onClose }: Omit<ChangeCodeDialogProps, 'open'>) {
  const client = useQueryClient()
  const close = useWhileShown(onClose)
  const navigate = useNavigate()
  const [code, setCode] = useState(link.short_code)
  const wanted = normalizeShortCode(code)
  const reload = () => {
    void client.invalidateQueries({ queryKey: ['account'] })
    return client.invalidateQueries({ queryKey: ['links'] })
  }
  const named = (name: string) => namedOn({ name, domain: link.domain })
  const form = useForm({
    schema: codeForm,
    values: { code: wanted },
    submit: async (): Promise<FormRefusal | void> => {
      const { error } = await tables.rpc('rename_link', { _link: link.id, _code: wanted })
      if (error !== null) return refusalOf(error)
      close()
      notifySuccess(changeCodeTexts.changed)
      // The former code has no link any more.
      await navigate({ to: routes.link.path, params: { code: named(wanted) }, replace: true })
      await reload()
    },
  })
  const release = useAction(async (alias: string) => {
    const { error } = await tables.rpc('release_alias', { _code: named(alias) })
    if (error !== null) return notifyError(changeCodeTexts.releaseFailed)
    close()
    notifySuccess(changeCodeTexts.released)
    await reload()
  })
  return (
    <form {...form.props}>
      <ShortCodeField
        userId={userId}
        domain={link.domain}
        value={code}
        onChange={setCode}
        error={form.errorOf('code')}
        own={[link.short_code, ...(link.aliases ?? [])]}
      />
      {link.aliases === null || link.aliases.length === 0 ? null : (
        <section className="mt-5">
          <h3 className="text-sm font-medium">Former codes</h3>
          <ul className="mt-2 grid gap-1">
            {link.aliases.map((alias) => (
              <li key={alias} className="flex items-center justify-between gap-3">
                <span className="min-w-0 truncate font-mono text-sm">
                  {shownLink(named(alias))}
                </span>
                <Button
                  size="small"
                  busy={release.busy}
                  aria-label={`Release ${alias}`}
                  onClick={() => release.run(alias)}
                >
                  Release
                </Button>
              </li>
            ))}
          </ul>
          <p className="mt-2 text-xs text-ink-faint">{changeCodeTexts.releaseHint}</p>
        </section>
      )}
      <FormActions
        action="Change code"
        busyAction="Changing..."
        busy={form.busy}
        disabled={wanted === link.short_code}
        onCancel={onClose}
      />
    </form>
  )
}

interface TableError {
  code: string
  message: string
  details: string | null
  hint: string | null
}

function refusalOf({ code, message, details, hint }: TableError): FormRefusal {
  if (code === '23505')
    return { notice: notices.customCodeTaken, field: 'code', text: notices.customCodeTaken.title }
  if (code === 'P0001' && hint !== null)
    return { notice: { title: message, description: hint }, field: 'code' }
  if (code === '23514') return { field: 'code', text: details ?? message }
  return { notice: changeCodeTexts.failed }
}
