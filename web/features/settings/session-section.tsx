import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import { auth } from '#web/api/auth-client.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { momentOf } from '#web/ui/time-words.ts'
import { deviceWords } from './device-words.ts'
import { settingsCards } from './settings-parts.ts'
import { SettingsEntry, SettingsSection } from './settings-section.tsx'
import { endSessionById, type OwnSession, sessionsQuery } from './sessions-query.ts'

/** The person's sessions, each with a button that ends it. */
export function SessionSection({ userId }: { userId: string }) {
  const client = useQueryClient()
  const sessions = useQuery(sessionsQuery(userId))
  const refresh = () => client.invalidateQueries({ queryKey: ['account', userId] })
  const onError = () => notifyError(settingsNotices.sessionEndFailed)
  const end = useSingleMutation({
    mutationFn: ({ id }: OwnSession) => endSessionById(id),
    onSuccess: async () => {
      notifySuccess(settingsNotices.sessionEnded)
      await refresh()
    },
    onError,
  })
  const endOthers = useSingleMutation({
    mutationFn: async () => {
      const { error } = await auth.signOut({ scope: 'others' })
      if (error !== null) throw error
    },
    onSuccess: async () => {
      notifySuccess(settingsNotices.sessionsEnded)
      await refresh()
    },
    onError,
  })
  const hasOthers = sessions.data?.some(({ current }) => !current) === true

  return (
    <SettingsSection title={settingsCards.security.sessions}>
      <QueryPanel query={sessions} failed={settingsNotices.sessionsFailed}>
        {(list) => (
          <ul>
            {list.map((session) => (
              <SettingsEntry
                key={session.id}
                name={deviceWords(session.user_agent)}
                facts={
                  <>
                    {session.current ? (
                      <span className="font-medium text-good">This device. </span>
                    ) : null}
                    {session.address === null ? null : `${session.address}, `}
                    last used {momentOf(session.last_used_at)}
                  </>
                }
                action={
                  session.current ? null : (
                    <Button
                      size="small"
                      aria-label={`Sign out ${deviceWords(session.user_agent)}, last used ${momentOf(session.last_used_at)}`}
                      busy={end.isPending}
                      onClick={() => end.mutate(session)}
                    >
                      Sign Out
                    </Button>
                  )
                }
              />
            ))}
          </ul>
        )}
      </QueryPanel>
      {hasOthers ? (
        <Button className="mt-6" busy={endOthers.isPending} onClick={() => endOthers.mutate()}>
          {endOthers.isPending ? 'Please wait...' : 'Sign Out Everywhere Else'}
        </Button>
      ) : null}
    </SettingsSection>
  )
}
