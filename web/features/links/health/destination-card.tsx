import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { Allowed } from '#web/session/space/allowed.tsx'
import type { LinkRow } from '#web/api/database.ts'
import { Button } from '#web/ui/button.tsx'
import { momentOf, shortMoment } from '#web/ui/time-words.ts'
import { LinkCard } from '../page/link-card.tsx'
import { useUpdateLink } from '../change-link.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { destinationCheckQuery } from './health-query.ts'
import { findingWords } from './health-words.ts'
import { useCheckAgain } from './use-check-again.ts'

/** The last check of the destination of a link, with a way to mend it; nothing before the first check. */
export function DestinationCard({ link, userId }: { link: LinkRow; userId: string }) {
  const { data: check } = useQuery(destinationCheckQuery(userId, link.id, link.original_url))
  const again = useCheckAgain(userId, link.id)
  const update = useUpdateLink()
  const move = useAction((newUrl: string) => update(link, { original_url: newUrl }))
  if (check === undefined || check === null) return null
  const { finding, new_url: newUrl } = check
  return (
    <LinkCard title="Destination">
      <div className="mt-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2.5">
        <p
          className={`min-w-0 grow basis-64 wrap-anywhere ${finding === null ? '' : 'text-danger'}`}
        >
          {finding === null ? 'No problem found' : findingWords({ ...check, finding })}
          <span className="mt-0.5 block text-sm text-ink-faint">
            Checked{' '}
            <time dateTime={check.checked_at} title={momentOf(check.checked_at)}>
              {shortMoment(check.checked_at)}
            </time>
          </span>
        </p>
        <Allowed right="links:write">
          <div className="flex flex-wrap gap-2">
            {newUrl === null ? null : (
              <Button size="small" busy={move.busy} onClick={() => move.run(newUrl)}>
                Update address
              </Button>
            )}
            <Button size="small" busy={again.busy} onClick={() => again.run()}>
              <RotateCw size={15} aria-hidden />
              {again.busy ? 'Checking...' : 'Check again'}
            </Button>
          </div>
        </Allowed>
      </div>
    </LinkCard>
  )
}
