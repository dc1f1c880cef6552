import { ArrowRight } from 'lucide-react'
import { shortLinkUrl, site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { LoginDialog } from './login-dialog.tsx'
import type { CreatedLink } from './result-card.tsx'
import { schemeHint } from './scheme-hint.ts'
import { useShortener } from './use-shortener.ts'

interface ShortenerFormProps {
  onCreated: (created: CreatedLink) => void
}

export function ShortenerForm({ onCreated }: ShortenerFormProps) {
  const { form, draft, setDraft, isLoginOpen, setLoginOpen } = useShortener(onCreated)
  const code = draft.code.trim()

  return (
    <>
      <form
        {...form.props}
        className="rounded-2xl border border-line bg-surface p-2.5 shadow-lift sm:p-3"
      >
        <div className="grid gap-2.5 sm:grid-cols-[minmax(0,1fr)_auto] sm:items-start">
          <Field
            label="Long URL"
            hideLabel
            size="large"
            name="url"
            type="url"
            inputMode="url"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            placeholder="https://example.com/a-very-long-address"
            value={draft.url}
            onChange={(event) => {
              const url = event.target.value
              setDraft((now) => ({ ...now, url, isPending: false }))
            }}
            error={form.errorOf('url')}
            hint={schemeHint(draft.url)}
          />
          <Button type="submit" look="accent" size="large" busy={form.busy}>
            {form.busy ? 'Creating...' : 'Shorten'}
            {form.busy ? null : <ArrowRight size={18} aria-hidden />}
          </Button>
        </div>
        <div className="mt-4 px-1 pb-2 sm:max-w-lg sm:px-4">
          <Field
            label="Custom code"
            note="optional"
            name="code"
            type="text"
            leading={`${site.host}/`}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            placeholder="my-link"
            value={draft.code}
            onChange={(event) => {
              const typed = event.target.value.toLowerCase()
              setDraft((now) => ({ ...now, code: typed, isPending: false }))
            }}
            hint={
              code === '' ? (
                'Leave it empty for a random one.'
              ) : (
                <span className="wrap-anywhere">
                  Your link: <span className="font-mono text-ink">{shortLinkUrl(code)}</span>
                </span>
              )
            }
            error={form.errorOf('code')}
            className="font-mono"
          />
        </div>
      </form>
      <LoginDialog
        open={isLoginOpen}
        onClose={() => {
          setLoginOpen(false)
          setDraft((now) => ({ ...now, isPending: false }))
        }}
      />
    </>
  )
}
