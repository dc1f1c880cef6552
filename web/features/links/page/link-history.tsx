import { useQuery } from '@tanstack/react-query'
import { ArrowRight, RotateCcw } from 'lucide-react'
import { codeOfLink } from '#domain/links/link-address.ts'
import { readableUrl } from '#domain/links/readable-url.ts'
import { useRights } from '#web/session/space/rights.ts'
import type { LinkHistoryEntry, LinkRow } from '#web/api/database.ts'
import { personOnScreen } from '#web/session/session.ts'
import { spaceSlug } from '#web/space.ts'
import { Button } from '#web/ui/button.tsx'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { momentOf, shortMoment } from '#web/ui/time-words.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { useUpdateLink } from '../change-link.ts'
import { LinkCard } from './link-card.tsx'
import { linkHistoryQuery } from './link-query.ts'

interface LinkHistoryProps {
  link: LinkRow
  userId: string
}

/** Where the link led before, with a way back to each destination. */
export function LinkHistory({ link, userId }: LinkHistoryProps) {
  const { data: entries, isError, refetch } = useQuery(linkHistoryQuery(userId, codeOfLink(link)))
  const mayWrite = useRights()('links:write')
  const update = useUpdateLink()
  const restoration = useAction((originalUrl: string) =>
    update(link, { original_url: originalUrl }),
  )
  return (
    <LinkCard title="Previous destinations">
      {isError ? (
        <FailedLine retry={() => void refetch()} className="mt-3 flex-wrap justify-between gap-3">
          The history could not be loaded.
        </FailedLine>
      ) : entries === undefined ? (
        <div aria-hidden className="mt-3 h-5 w-64 max-w-full animate-pulse rounded-md bg-sunken" />
      ) : entries.length === 0 ? (
        <p className="mt-3 text-sm text-ink-faint">No changes yet</p>
      ) : (
        <ol className="mt-1 divide-y divide-line">
          {entries.map((entry) => (
            <Entry
              key={entry.changed_at}
              entry={entry}
              canRestore={mayWrite && entry.moved === null && entry.from_url !== link.original_url}
              isBusy={restoration.busy}
              onRestore={() => restoration.run(entry.from_url)}
            />
          ))}
        </ol>
      )}
    </LinkCard>
  )
}

interface EntryProps {
  entry: LinkHistoryEntry
  canRestore: boolean
  isBusy: boolean
  onRestore: () => void
}

function Entry({ entry, canRestore, isBusy, onRestore }: EntryProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 grow basis-64 text-sm">
        {entry.moved === null ? (
          <>
            <p
              className="line-clamp-2 text-ink-faint line-through wrap-anywhere"
              title={entry.from_url}
            >
              {readableUrl(entry.from_url)}
            </p>
            <p className="flex gap-1.5">
              <ArrowRight
                size={15}
                aria-label="changed to"
                className="mt-0.5 shrink-0 text-ink-faint"
              />
              <span className="line-clamp-2 wrap-anywhere" title={entry.to_url}>
                {readableUrl(entry.to_url)}
              </span>
            </p>
          </>
        ) : (
          <p>
            Moved from {accountName(entry.moved.from_name)} to {accountName(entry.moved.to_name)}
          </p>
        )}
        <p className="mt-1 text-xs text-ink-faint">
          {whoChanged(entry)},{' '}
          <time dateTime={entry.changed_at} title={momentOf(entry.changed_at)}>
            {shortMoment(entry.changed_at)}
          </time>
        </p>
      </div>
      {canRestore ? (
        <Button
          size="small"
          busy={isBusy}
          aria-label={`Restore ${readableUrl(entry.from_url)}`}
          onClick={onRestore}
        >
          <RotateCcw size={15} aria-hidden />
          Restore
        </Button>
      ) : null}
    </li>
  )
}

/** Accounts of people are not named. */
const accountName = (name: string | null) => name ?? 'another account'

function whoChanged(entry: LinkHistoryEntry): string {
  const { changed_by: by, changed_by_name: name } = entry
  if (by === null) return 'The service'
  if (by === personOnScreen()) return 'You'
  if (name !== null) return name
  return spaceSlug === undefined ? 'An admin' : 'A former member'
}
