import type { TimeBucket } from '#web/clicks/report.ts'
import { chartHeight } from '#web/ui/bar-chart.tsx'
import { ScrollTable } from '#web/ui/figure-table.tsx'
import { bucketWords } from '../period/period-words.ts'
import { figure } from '../report-words.ts'
import type { SeriesPoint } from './series.ts'

interface SeriesTableProps {
  points: readonly SeriesPoint[]
  bucket: TimeBucket
  zone: string
  sampled: number | null
}

/** The chart in words, newest first, in the chart's room. */
export function SeriesTable({ points, bucket, zone, sampled }: SeriesTableProps) {
  const hasBefore = points.some(({ before }) => before !== null)
  return (
    <ScrollTable
      caption={`Clicks by ${bucket}`}
      height={chartHeight}
      head={[bucketNames[bucket], 'Clicks', 'Visitors', ...(hasBefore ? ['Before'] : [])]}
      rows={points.toReversed().map(({ start, clicks, visitors, before, notes }) => ({
        key: start,
        name: bucketWords(start, bucket, zone),
        cells: [
          figure(clicks, sampled),
          figure(visitors, sampled),
          ...(hasBefore ? [before === null ? '' : figure(before, sampled)] : []),
        ],
        ...(notes.length > 0 && { note: notes.join(' · ') }),
      }))}
    />
  )
}

const bucketNames: Record<TimeBucket, string> = { hour: 'Hour', day: 'Day', month: 'Month' }
