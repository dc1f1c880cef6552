import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import { callAuthDoor } from '#web/session/auth-door.ts'
import { Button } from '#web/ui/button.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { momentOf } from '#web/ui/time-words.ts'
import { settingsCards } from './settings-parts.ts'
import { SettingsEntry, SettingsSection } from './settings-section.tsx'

/** As GET /auth/v1/user/oauth/changes answers. */
interface AppChange {
  id: number
  at: string
  app: string
  action: 'created' | 'changed' | 'deleted'
  kind: 'link' | 'popup' | 'bio page' | 'tag'
  name: string
}

const shownAtFirst = 8
const verbs = { created: 'Created', changed: 'Changed', deleted: 'Deleted' } as const

/** Rows that apps have created, changed and deleted for the person. Absent without any. */
export function AppChanges({ userId }: { userId: string }) {
  const changes = useQuery({
    queryKey: ['account', userId, 'app-changes'],
    queryFn: async ({ signal }) =>
      (await (await callAuthDoor('/user/oauth/changes', { signal })).json()) as AppChange[],
  })
  const [all, setAll] = useState(false)
  if (changes.isPending || changes.data?.length === 0) return null
  return (
    <SettingsSection
      title={settingsCards.apps.changes}
      intro="The last 50 changes made by apps. Not wanted? Revoke access."
    >
      <QueryPanel query={changes} failed={settingsNotices.appChangesFailed}>
        {(list) => (
          <>
            <ul>
              {list.slice(0, all ? undefined : shownAtFirst).map((change) => (
                <SettingsEntry
                  key={change.id}
                  name={`${verbs[change.action]} the ${change.kind} ${change.name}`}
                  facts={
                    <>
                      <time dateTime={change.at}>{momentOf(change.at)}</time>, by {change.app}
                    </>
                  }
                />
              ))}
            </ul>
            {!all && list.length > shownAtFirst ? (
              <Button className="mt-6" onClick={() => setAll(true)}>
                Show More
              </Button>
            ) : null}
          </>
        )}
      </QueryPanel>
    </SettingsSection>
  )
}
