import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { settingsNotices } from '#domain/account-texts.ts'
import { securityEventWords } from '#domain/security-events.ts'
import { Button } from '#web/ui/button.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { momentOf } from '#web/ui/time-words.ts'
import { deviceWords } from './device-words.ts'
import { SettingsEntry, SettingsSection } from './settings-section.tsx'
import { eventsQuery } from './sessions-query.ts'

const shownAtFirst = 8

/** What has happened to the account lately: the first sign of a stranger in it. */
export function EventList({ userId }: { userId: string }) {
  const events = useQuery(eventsQuery(userId))
  const [all, setAll] = useState(false)
  return (
    <SettingsSection
      title="Recent activity"
      intro="Something here was not you? Change your password, and sign out everywhere else."
    >
      <QueryPanel query={events} loading="Loading" failed={settingsNotices.eventsFailed}>
        {(list) => (
          <>
            {list.length === 0 ? <p className="text-ink-soft">Nothing yet.</p> : null}
            <ul>
              {list.slice(0, all ? undefined : shownAtFirst).map((event) => (
                <SettingsEntry
                  key={event.id}
                  name={securityEventWords(event.event)}
                  facts={
                    <>
                      <time dateTime={event.at}>{momentOf(event.at)}</time>,{' '}
                      {deviceWords(event.user_agent)}
                      {event.address === null ? null : `, ${event.address}`}
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
