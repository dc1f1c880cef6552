import type { OAuthGrant } from '@supabase/auth-js'
import { useQuery } from '@tanstack/react-query'
import { Blocks } from 'lucide-react'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import { scopeWords } from '#domain/access/oauth-scopes.ts'
import { auth } from '#web/api/auth-client.ts'
import { spacesQuery } from '#web/spaces/spaces-query.ts'
import { Button } from '#web/ui/button.tsx'
import { QueryList } from '#web/ui/query-list.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { dayOf } from '#web/ui/time-words.ts'
import { useConfirmed } from '#web/ui/dialogs/use-confirmed.tsx'
import { AppChanges } from './app-changes.tsx'
import { settingsCards } from './settings-parts.ts'
import { SettingsEntry, SettingsSection, type TabProps } from './settings-section.tsx'
import { SettingsSkeleton } from './settings-skeleton.tsx'

/** `account_id` names the space that the app acts for. */
type Grant = OAuthGrant & { account_id?: string | null }

/** The apps that may act for the person. */
export function AppsTab({ userId }: TabProps) {
  const queryKey = ['account', userId, 'apps']
  const spaces = useQuery(spacesQuery(userId)).data
  const grants = useQuery({
    queryKey,
    queryFn: async (): Promise<Grant[]> => {
      const { data, error } = await auth.oauth.listGrants()
      if (error !== null) throw error
      return data
    },
  })
  const revoke = useConfirmed<Grant>({
    title: 'Revoke access?',
    describe: ({ client: app }) => `${app.name} can no longer act for you.`,
    action: 'Revoke',
    busyAction: 'Please wait...',
    run: async ({ client: { id } }) => {
      const { error } = await auth.oauth.revokeGrant({ clientId: id })
      if (error !== null) throw error
    },
    done: () => settingsNotices.appRevoked,
    failed: () => settingsNotices.appRevokeFailed,
    queryKey,
  })

  if (grants.isPending) return <SettingsSkeleton tab="apps" />
  return (
    <>
      <QueryList
        query={grants}
        rows={grants.data}
        failed={settingsNotices.appsFailed}
        empty={
          <StatePanel
            title="No connected apps"
            figure={<Blocks size={32} aria-hidden className="text-ink-faint" />}
          >
            Apps you authorize appear here. Revoke access anytime.
          </StatePanel>
        }
      >
        {(list) => (
          <SettingsSection
            title={settingsCards.apps.apps}
            intro="Each acts for you until you revoke access."
          >
            <ul>
              {list.map((grant) => (
                <SettingsEntry
                  key={grant.client.id}
                  name={grant.client.name}
                  facts={
                    <>
                      <ul className="my-1 list-disc pl-5">
                        {scopeWords(grant.scopes).map((words) => (
                          <li key={words}>{words}</li>
                        ))}
                      </ul>
                      {grant.account_id == null ? null : (
                        <span className="block">
                          Acts for{' '}
                          {spaces?.find(({ id }) => id === grant.account_id)?.name ?? 'a space'}
                        </span>
                      )}
                      {grant.client.uri === '' ? null : `${grant.client.uri}, `}
                      since {dayOf(grant.granted_at)}
                    </>
                  }
                  action={
                    <Button
                      look="danger"
                      size="small"
                      aria-label={`Revoke access of ${grant.client.name}`}
                      onClick={() => revoke.ask(grant)}
                    >
                      Revoke
                    </Button>
                  }
                />
              ))}
            </ul>
            {revoke.dialog}
          </SettingsSection>
        )}
      </QueryList>
      <AppChanges userId={userId} />
    </>
  )
}
