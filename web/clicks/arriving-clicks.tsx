import { useQuery } from '@tanstack/react-query'
import { Hourglass } from 'lucide-react'
import { answerOf, tables } from '#web/api/client.ts'

const againMs = 5_000

/** A line over reports while clicks of moved links are on their way from or to the account. */
export function ArrivingClicks({ userId }: { userId: string }) {
  const { data: moves = [] } = useQuery({
    queryKey: ['link-moves', userId],
    queryFn: ({ signal }) =>
      answerOf(tables.from('link_moves').select('id,links').eq('state', 'arriving'), signal),
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) > 0 ? againMs : false),
  })
  const links = moves.reduce((sum, move) => sum + move.links, 0)
  if (links === 0) return null
  return (
    <output className="flex items-center gap-2 rounded-lg border border-line bg-sunken px-3 py-2 text-sm">
      <Hourglass size={15} aria-hidden className="shrink-0 text-ink-faint" />
      {links === 1
        ? 'The clicks of 1 link are on their way. Until they have arrived, reports lack some.'
        : `The clicks of ${links} links are on their way. Until they have arrived, reports lack some.`}
    </output>
  )
}
