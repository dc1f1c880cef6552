import type { UserIdentity } from '@supabase/auth-js'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import { routes } from '#domain/routes.ts'
import { type SignInOptions, signInOptionsQuery } from '#web/session/sign-in-options.ts'
import { site } from '#web/site.ts'
import { auth } from '#web/api/auth-client.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { dayOf } from '#web/ui/time-words.ts'
import { useConfirmed } from '#web/ui/dialogs/use-confirmed.tsx'
import { accountQuery } from '#web/session/profile-query.ts'
import { settingsCards } from './settings-parts.ts'
import { SettingsEntry, SettingsSection } from './settings-section.tsx'

/** Password and linked providers. Shown only where the server has providers. */
export function IdentitySection({ userId }: { userId: string }) {
  const account = useQuery(accountQuery(userId))
  const options = useQuery(signInOptionsQuery).data
  const providers = options?.providers ?? []
  const identities = account.data?.identities ?? []
  const nameOf = ({ provider }: { provider: string }) =>
    provider === 'email'
      ? 'Email and password'
      : (providers.find(({ id }) => id === provider)?.name ?? provider)
  const unlink = useConfirmed<UserIdentity>({
    title: 'Unlink this sign-in?',
    describe: (identity) => `You can then no longer sign in with ${nameOf(identity)}.`,
    action: 'Unlink',
    busyAction: 'Unlinking...',
    run: async (identity) => {
      const { error } = await auth.unlinkIdentity(identity)
      if (error !== null) throw error
    },
    done: () => settingsNotices.unlinked,
    failed: ({ message }) => ({ ...settingsNotices.unlinkFailed, description: message }),
    queryKey: ['account', userId],
  })
  if (providers.length === 0 && identities.every(({ provider }) => provider === 'email'))
    return null

  return (
    <SettingsSection
      title={settingsCards.security.identities}
      intro={site.hasPasswords ? 'Other ways to sign in.' : 'Your ways to sign in.'}
    >
      <QueryPanel query={account} failed={settingsNotices.identitiesFailed}>
        {() => (
          <ul>
            {identities.map((identity) => (
              <SettingsEntry
                key={identity.identity_id}
                name={nameOf(identity)}
                facts={factsOf(identity)}
                action={
                  identities.some((each) => each !== identity && isWayIn(each)) ? (
                    <Button
                      look="danger"
                      size="small"
                      aria-label={`Unlink ${nameOf(identity)}`}
                      onClick={() => unlink.ask(identity)}
                    >
                      Unlink
                    </Button>
                  ) : null
                }
              />
            ))}
          </ul>
        )}
      </QueryPanel>
      {options?.canLink === true && account.data !== undefined ? (
        <LinkButtons
          providers={providers.filter(
            ({ id }) => !identities.some(({ provider }) => provider === id),
          )}
        />
      ) : null}
      {unlink.dialog}
    </SettingsSection>
  )
}

function isWayIn({ provider }: UserIdentity): boolean {
  return provider !== 'email' || site.hasPasswords
}

function factsOf({ identity_data: data, created_at: since }: UserIdentity): string {
  const email: unknown = data?.['email']
  return [
    typeof email === 'string' ? email : '',
    since === undefined ? '' : `since ${dayOf(since)}`,
  ]
    .filter((fact) => fact !== '')
    .join(', ')
}

function LinkButtons({ providers }: { providers: SignInOptions['providers'] }) {
  const [leaving, setLeaving] = useState(false)

  async function link(provider: string) {
    setLeaving(true)
    const { error } = await auth.linkIdentity({
      provider: provider as Extract<
        Parameters<typeof auth.linkIdentity>[0],
        { options?: unknown }
      >['provider'] as 'google',
      options: {
        redirectTo: `${window.location.origin}${routes.settings.href({ tab: 'security' })}`,
      },
    })
    if (error === null) return
    setLeaving(false)
    notifyError({ ...settingsNotices.linkFailed, description: error.message })
  }

  if (providers.length === 0) return null
  return (
    <div className="mt-6 flex flex-wrap gap-2.5">
      {providers.map(({ id, name }) => (
        <Button key={id} busy={leaving} onClick={() => void link(id)}>
          Link {name}
        </Button>
      ))}
    </div>
  )
}
