import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import { routes } from '#domain/routes.ts'
import { linkHealthTexts } from '#domain/texts/link-texts.ts'
import { useRights } from '#web/session/space/rights.ts'
import { shownCode } from '#web/shown-link.ts'
import type { DestinationFinding } from '#web/api/database.ts'
import { useSession } from '#web/session/session.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { pillClass } from '#web/ui/pill.ts'
import { QueryList } from '#web/ui/query-list.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { HealthRow } from './health-row.tsx'
import { linkHealthQuery } from './health-query.ts'
import { type RefusedUpdate, useUpdateMoved } from './use-update-moved.ts'

const numbers = new Intl.NumberFormat()
const kinds = [
  ['dead', 'No answer'],
  ['moved', 'Moved'],
  ['certificate', 'Bad certificate'],
] as const

/** Links with a destination that is dead, moved for good or has a bad certificate. */
export function LinkHealthScreen() {
  useTitle('Health of destinations · Hoplet')
  const session = useSession()
  return (
    <Screen
      title="Health of destinations"
      intro={linkHealthTexts.intro}
      before={
        <Link to={routes.dashboard.path} className={`${buttonClass('quiet', 'small')} -ml-3 mb-1`}>
          <ArrowLeft size={16} aria-hidden />
          My Links
        </Link>
      }
    >
      {session.status === 'signed-in' ? (
        <Findings key={session.userId} userId={session.userId} />
      ) : null}
    </Screen>
  )
}

function Findings({ userId }: { userId: string }) {
  const [kind, setKind] = useState<DestinationFinding | null>(null)
  const query = useInfiniteQuery({
    ...linkHealthQuery(userId, kind),
    placeholderData: keepPreviousData,
  })
  const { one, all, updated, refused } = useUpdateMoved(userId)
  const mayWrite = useRights()('links:write')
  const counts = query.data?.pages[0]?.counts
  const moved = counts?.moved ?? 0
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <fieldset className="flex flex-wrap gap-1.5">
          <legend className="sr-only">Problem</legend>
          <Pill isPressed={kind === null} onPress={() => setKind(null)} text="All" />
          {kinds.map(([name, text]) => (
            <Pill
              key={name}
              isPressed={kind === name}
              onPress={() => setKind(name)}
              text={counts === undefined ? text : `${text} ${numbers.format(counts[name])}`}
            />
          ))}
        </fieldset>
        {mayWrite && (moved > 1 || all.busy) ? (
          <Button look="ink" size="small" busy={all.busy} onClick={() => all.run()}>
            {all.busy ? `Updated ${numbers.format(updated)}...` : 'Update all moved'}
          </Button>
        ) : null}
      </div>
      <Refused refused={refused} />
      <QueryList
        query={query}
        rows={query.data?.pages.flatMap(({ links }) => links)}
        loading="Loading the destinations"
        failed={linkHealthTexts.failed}
        empty={
          <StatePanel title={kind === null ? linkHealthTexts.none : linkHealthTexts.noneOfKind}>
            {kind === null ? linkHealthTexts.noneHint : undefined}
          </StatePanel>
        }
        more={{ label: 'Load more' }}
      >
        {(links) => (
          <ul aria-label="Links to mend" className="border-t border-line">
            {links.map((link) => (
              <HealthRow
                key={link.id}
                link={link}
                userId={userId}
                isUpdating={one.busy || all.busy}
                onUpdate={() => one.run(link)}
              />
            ))}
          </ul>
        )}
      </QueryList>
    </>
  )
}

interface PillProps {
  text: string
  isPressed: boolean
  onPress: () => void
}

function Pill({ text, isPressed, onPress }: PillProps) {
  return (
    <button type="button" aria-pressed={isPressed} onClick={onPress} className={pillClass}>
      {text}
    </button>
  )
}

/** Links that kept their address, by name. */
function Refused({ refused }: { refused: readonly RefusedUpdate[] }) {
  if (refused.length === 0) return null
  return (
    <div
      role="alert"
      className="mb-4 rounded-2xl border border-danger/40 bg-danger-wash px-5 py-4 text-sm"
    >
      <p className="font-medium">
        {refused.length === 1 ? '1 link keeps its address' : `${refused.length} links keep theirs`}
      </p>
      <ul className="mt-1.5 max-h-60 space-y-1 overflow-y-auto">
        {refused.map(({ code, reason }) => (
          <li key={code} className="wrap-anywhere">
            <span className="font-mono">{shownCode(code)}</span>: {reason}
          </li>
        ))}
      </ul>
    </div>
  )
}
