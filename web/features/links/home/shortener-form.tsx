import { ArrowRight } from 'lucide-react'
import { namedOn } from '#domain/links/link-address.ts'
import { shortLinkUrl, site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { useLazyPart } from '#web/ui/hooks/use-lazy-part.ts'
import { LoginDialog } from './login-dialog.tsx'
import { schemeHint } from '../form/scheme-hint.ts'
import type { useShortener } from './use-shortener.ts'

const ownHost = `${site.host}/`
const loadHomeHost = async () => (await import('./home-host.tsx')).HomeHost

interface ShortenerFormProps extends ReturnType<typeof useShortener> {
  /** Look of the button: members have an orange one in the sidebar. */
  look: 'accent' | 'ink'
}

export function ShortenerForm(props: ShortenerFormProps) {
  const { form, draft, setDraft, userId, place, setPlace, isLoginOpen, setLoginOpen, look } = props
  const { Part: HomeHost } = useLazyPart(userId !== undefined, loadHomeHost)
  const code = draft.code.trim()

  return (
    <div className="@container">
      <form
        {...form.props}
        className="grid gap-2.5 rounded-2xl border border-line bg-surface p-2.5 shadow-lift sm:p-3 @xl:grid-cols-[minmax(0,1fr)_auto] @xl:items-start @xl:*:first:col-span-full @3xl:*:first:col-span-1 @3xl:grid-cols-[minmax(0,1fr)_auto_minmax(0,22rem)_auto] @3xl:items-start"
      >
        <Field
          label="Long URL"
          hideLabel
          size="large"
          name="url"
          kind="url"
          placeholder="https://example.com/a-very-long-address"
          value={draft.url}
          onChange={(event) => {
            const url = event.target.value
            setDraft((now) => ({ ...now, url, isPending: false }))
          }}
          error={form.errorOf('url')}
          hint={schemeHint(draft.url)}
        />
        <ArrowRight size={18} aria-hidden className="mt-5 text-ink-faint @max-3xl:hidden" />
        <Field
          label="Custom code"
          hideLabel
          size="large"
          name="code"
          leading={
            HomeHost === undefined || userId === undefined ? (
              ownHost
            ) : (
              <HomeHost key={userId} userId={userId} onPlace={setPlace} />
            )
          }
          kind="verbatim"
          placeholder="my-link"
          value={draft.code}
          onChange={(event) => {
            const typed = event.target.value.toLowerCase()
            setDraft((now) => ({ ...now, code: typed, isPending: false }))
          }}
          hint={
            code === '' ? (
              'Custom code, optional: blank for a random one'
            ) : (
              <span className="wrap-anywhere">
                Your link:{' '}
                <span className="font-mono text-ink">
                  {shortLinkUrl(namedOn({ name: code, domain: place.domain }))}
                </span>
              </span>
            )
          }
          error={form.errorOf('code')}
          className="font-mono"
        />
        <Button type="submit" look={look} size="large" busy={form.busy}>
          {form.busy ? 'Creating...' : 'Shorten'}
        </Button>
      </form>
      <LoginDialog
        open={isLoginOpen}
        onClose={() => {
          setLoginOpen(false)
          setDraft((now) => ({ ...now, isPending: false }))
        }}
      />
    </div>
  )
}
