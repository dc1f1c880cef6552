import type { TimeBucket } from '#web/clicks/report.ts'
import { BarChart } from '#web/ui/bar-chart.tsx'
import { axisWords, bucketWords } from '../period/period-words.ts'
import { countOfClicks, figure } from '../report-words.ts'
import type { SeriesPoint } from './series.ts'

interface SeriesChartProps {
  points: readonly SeriesPoint[]
  bucket: TimeBucket
  zone: string
  sampled: number | null
}

/** Clicks as bars, with the time before as a line. */
export function SeriesChart({ points, bucket, zone, sampled }: SeriesChartProps) {
  return (
    <BarChart
      name={`Clicks by ${bucket}. The arrow keys move over the ${bucket}s.`}
      bars={points.map((point) => ({
        key: point.start,
        label: axisWords(point.start, bucket, zone),
        words: pointWords(point, { bucket, zone, sampled }),
        height: point.clicks,
        line: point.before,
      }))}
    />
  )
}

function pointWords(
  { start, clicks, visitors, before }: SeriesPoint,
  { bucket, zone, sampled }: Pick<SeriesChartProps, 'bucket' | 'zone' | 'sampled'>,
): string[] {
  return [
    bucketWords(start, bucket, zone),
    countOfClicks(clicks, sampled),
    `${figure(visitors, sampled)} ${visitors === 1 ? 'visitor' : 'visitors'}`,
    ...(before === null ? [] : [`before: ${countOfClicks(before, sampled)}`]),
  ]
}
