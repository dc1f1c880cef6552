import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Space } from '#web/session/space/account-store.ts'
import { spacesQuery } from '#web/spaces/spaces-query.ts'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import type { OAuthAuthorizationDetails } from '@supabase/auth-js'
import { useNavigate } from '@tanstack/react-router'
import { ArrowRight, Check } from 'lucide-react'
import { scopeWords } from '#domain/access/oauth-scopes.ts'
import { routes } from '#domain/routes.ts'
import { signOut } from '#web/session/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Mark } from '#web/ui/mark.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { useStepFocus } from '#web/ui/hooks/use-step-focus.ts'
import { decide, release } from './authorization.ts'

const ownAccount = ''

/** The app, its requested scopes and the person; and the two answers. Facts about the app are its own claims. */
export function ConsentCard({ details }: { details: OAuthAuthorizationDetails }) {
  const { authorization_id: id, client, user, scope, redirect_uri: redirectUri } = details
  const navigate = useNavigate()
  const title = `${client.name} wants to act for you`
  const top = useStepFocus(title)
  const spaces = useQuery(spacesQuery(user.id))
  const [account, setAccount] = useState(ownAccount)
  const decision = useSingleMutation({
    mutationFn: (isAllowed: boolean) =>
      decide(id, isAllowed, account === ownAccount ? undefined : account),
    onError: (error) =>
      notifyError({ title: 'Your answer did not get through', description: error.message }),
  })
  const departure = useSingleMutation({
    mutationFn: async () => {
      await release(id)
      signOut()
      const next = routes.oauthConsent.href({ authorization_id: id })
      await navigate({ to: routes.auth.path, search: { next } })
    },
    onError: (error) =>
      notifyError({ title: 'You are still signed in', description: error.message }),
  })
  // Until the browser has left, a second press must not answer again.
  const busy = decision.isPending || decision.isSuccess || departure.isPending

  return (
    <div className="rounded-2xl border border-line bg-surface p-6 sm:p-8">
      <div aria-hidden className="mb-6 flex items-center gap-3 text-ink-faint">
        <span className="grid size-12 place-items-center rounded-2xl border border-line bg-sunken text-xl font-semibold text-ink">
          {Array.from(client.name)[0]?.toUpperCase() ?? '?'}
        </span>
        <ArrowRight size={18} />
        <span className="grid size-12 place-items-center rounded-2xl border border-line">
          <Mark size={26} className="text-ink" />
        </span>
      </div>
      <h1
        ref={top}
        tabIndex={-1}
        data-quiet-focus
        className="text-3xl font-semibold tracking-tight text-balance wrap-anywhere"
      >
        {title}
      </h1>
      {client.uri === '' ? null : (
        <p className="mt-1.5 font-mono text-sm text-ink-soft wrap-anywhere">{client.uri}</p>
      )}
      {'registration' in client && client.registration === 'dynamic' ? (
        <p className="mt-3 text-sm text-ink-soft">
          This app registered itself: its name and address are not verified. Continue only if you
          have just started this from the app.
        </p>
      ) : null}
      <p className="mt-6 font-medium">It would be able to:</p>
      <ul className="mt-3 grid gap-2.5">
        {scopeWords(scope.split(' ')).map((words) => (
          <li key={words} className="flex items-start gap-3">
            <Check size={18} aria-hidden className="mt-0.5 shrink-0 text-accent-text" />
            {words}
          </li>
        ))}
      </ul>
      <p className="mt-6 rounded-2xl bg-sunken px-4 py-3 text-sm wrap-anywhere">
        You are signed in as <strong className="font-medium">{user.email}</strong>.{' '}
        <button
          type="button"
          aria-disabled={busy ? true : undefined}
          onClick={() => {
            if (!busy) departure.mutate()
          }}
          className="rounded-md font-medium text-accent-text underline underline-offset-4"
        >
          Not you?
        </button>
      </p>
      <AccountOfApp spaces={spaces.data ?? []} account={account} onChange={setAccount} />
      <div className="mt-6 flex flex-col-reverse gap-2.5 sm:flex-row sm:justify-end">
        <Button busy={busy} onClick={() => decision.mutate(false)}>
          Deny
        </Button>
        <Button look="accent" busy={busy || spaces.isPending} onClick={() => decision.mutate(true)}>
          {busy ? 'Please wait...' : 'Allow'}
        </Button>
      </div>
      <p className="mt-6 border-t border-line pt-5 text-sm text-ink-faint wrap-anywhere">
        You go on to {hostOf(redirectUri)}. You can take this back at any time, in Settings under
        Connected Apps.
      </p>
    </div>
  )
}

interface AccountOfAppProps {
  spaces: readonly Space[]
  account: string
  onChange: (account: string) => void
}

/** The account that the app is for, where the person has more than one. */
function AccountOfApp({ spaces, account, onChange }: AccountOfAppProps) {
  if (spaces.length === 0) return null
  return (
    <div className="mt-4">
      <SelectField
        label="It acts for"
        options={[
          { value: ownAccount, label: 'Your own account' },
          ...spaces.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={account}
        onChange={onChange}
      />
    </div>
  )
}

function hostOf(address: string): string {
  if (!URL.canParse(address)) return address
  const { host, protocol } = new URL(address)
  return host === '' ? `an app on this device (${protocol})` : host
}
