import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import { securityEventWords } from '#domain/access/security-events.ts'
import { Button } from '#web/ui/button.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { momentOf, momentsBetween } from '#web/ui/time-words.ts'
import { deviceWords } from './device-words.ts'
import { groupEvents } from './event-groups.ts'
import { type AccountEvent, eventsQuery } from './sessions-query.ts'
import { settingsCards } from './settings-parts.ts'
import { SettingsEntry, SettingsSection } from './settings-section.tsx'

const shownAtFirst = 8

/** Recent events of the account: the first sign of a stranger in it. */
export function EventList({ userId }: { userId: string }) {
  const events = useQuery(eventsQuery(userId))
  const [all, setAll] = useState(false)
  return (
    <SettingsSection
      title={settingsCards.security.events}
      intro="Not you? Change your password and sign out everywhere else."
    >
      <QueryPanel query={events} failed={settingsNotices.eventsFailed}>
        {(list) => {
          const groups = groupEvents(list)
          return (
            <>
              {list.length === 0 ? <p className="text-ink-soft">Nothing yet.</p> : null}
              <ul>
                {groups.slice(0, all ? undefined : shownAtFirst).map((group) => (
                  <Entry key={group[0]?.id} group={group} />
                ))}
              </ul>
              {!all && groups.length > shownAtFirst ? (
                <Button className="mt-6" onClick={() => setAll(true)}>
                  Show More
                </Button>
              ) : null}
            </>
          )
        }}
      </QueryPanel>
    </SettingsSection>
  )
}

function Entry({ group }: { group: readonly AccountEvent[] }) {
  const [latest] = group
  const first = group.at(-1)
  if (latest === undefined || first === undefined) return null
  if (group.length === 1)
    return (
      <SettingsEntry name={securityEventWords(latest.event)} facts={<Facts event={latest} />} />
    )
  return (
    <SettingsEntry
      name={`${group.length} failed sign-ins`}
      facts={
        <>
          {momentsBetween(first.at, latest.at)}
          <details>
            <summary className="w-fit rounded-md py-1 underline-offset-4 hover:underline pointer-coarse:py-3">
              Show each
            </summary>
            <ul className="grid gap-1 border-l-2 border-line pl-3">
              {group.map((event) => (
                <li key={event.id}>
                  <Facts event={event} />
                </li>
              ))}
            </ul>
          </details>
        </>
      }
    />
  )
}

function Facts({ event: { at, user_agent, address } }: { event: AccountEvent }) {
  return (
    <>
      <time dateTime={at}>{momentOf(at)}</time>, {deviceWords(user_agent)}
      {address === null ? null : `, ${address}`}
    </>
  )
}
