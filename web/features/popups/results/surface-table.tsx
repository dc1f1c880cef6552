import { Link } from '@tanstack/react-router'
import type { PopupAction } from '#domain/popups/popup-actions.ts'
import { routes } from '#domain/routes.ts'
import { FigureTable } from '#web/ui/charts/figure-table.tsx'
import { ScrollRegion } from '#web/ui/scroll-region.tsx'
import type { SurfaceResults } from '#domain/reports/report-answers.ts'
import { closedCount, closedNames, closings, countWords, surfaceName } from './result-words.ts'

interface SurfaceTableProps {
  surfaces: readonly SurfaceResults[]
  /** How many have no row. */
  more: number
  collectsEmail: boolean
}

interface Column {
  name: string
  count: (actions: SurfaceResults['actions']) => number
  /** Absent when every row has 0. */
  isOptional?: boolean
}

const of = (action: PopupAction) => (actions: SurfaceResults['actions']) => actions[action] ?? 0

const columnsOf = (collectsEmail: boolean): readonly Column[] => [
  { name: 'Shown', count: of('shown') },
  { name: 'Clicked', count: of('clicked') },
  { name: 'Emails', count: of('emailed'), isOptional: !collectsEmail },
  { name: 'Continued', count: of('reached') },
  { name: 'Closed', count: closedCount },
  ...closings.map((way) => ({ name: closedNames[way], count: of(way), isOptional: true })),
  { name: 'Left', count: of('left') },
]

const caption = 'By link and page'

/** The results of each link and page that shows the popup. */
export function SurfaceTable({ surfaces, more, collectsEmail }: SurfaceTableProps) {
  const shown = columnsOf(collectsEmail).filter(
    ({ count, isOptional = false }) =>
      !isOptional || surfaces.some(({ actions }) => count(actions) > 0),
  )
  return (
    <ScrollRegion aria-label={caption} className="max-h-80 overflow-auto">
      <FigureTable
        caption={caption}
        head={['Where', ...shown.map(({ name }) => name)]}
        rows={surfaces.map((surface) => ({
          key: surface.id,
          name: (
            <span className="-my-2 inline-block max-w-48 truncate py-2 align-middle">
              <SurfaceLink surface={surface} />
            </span>
          ),
          cells: shown.map(({ count }) => countWords(count(surface.actions))),
        }))}
      />
      {more > 0 ? (
        <p className="py-2 text-xs text-ink-faint">{`And ${countWords(more)} more`}</p>
      ) : null}
    </ScrollRegion>
  )
}

function SurfaceLink({ surface }: { surface: SurfaceResults }) {
  const name = surfaceName(surface)
  const { kind, label } = surface
  if (label === null) return <span className="text-ink-soft italic">{name}</span>
  const look = 'font-mono underline decoration-line underline-offset-4 hover:decoration-current'
  return kind === 'bio' ? (
    <Link to={routes.bioLink.path} title={name} className={look}>
      {name}
    </Link>
  ) : (
    <Link to={routes.link.path} params={{ code: label }} title={name} className={look}>
      {name}
    </Link>
  )
}
