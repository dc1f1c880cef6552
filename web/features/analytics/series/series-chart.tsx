import type { TimeBucket } from '#web/clicks/report.ts'
import { BarChart } from '#web/ui/bar-chart.tsx'
import { axisWords, bucketWords } from '../period/period-words.ts'
import { countOfClicks, figure } from '../report-words.ts'
import type { SeriesPoint } from './series.ts'

interface SeriesChartProps {
  points: readonly SeriesPoint[]
  /** Undefined while the points answer the question before. */
  question: string | undefined
  bucket: TimeBucket
  zone: string
  /** Whether the time of now belongs to it. */
  isRunning: boolean
  sampled: number | null
  /** A bar was pressed; its start. */
  onPress: (start: string) => void
}

const nowNames: Record<TimeBucket, string> = { hour: 'now', day: 'today', month: 'now' }

/** Clicks as bars, with the time before as a notch in each. */
export function SeriesChart(props: SeriesChartProps) {
  const { points, question, bucket, zone, isRunning, sampled, onPress } = props
  const last = isRunning ? points.length - 1 : undefined
  return (
    <BarChart
      name={`Clicks by ${bucket}. The arrow keys move over the ${bucket}s, Enter writes a note.`}
      onPress={onPress}
      question={question}
      bars={points.map((point, index) => ({
        key: point.start,
        label: index === last ? nowNames[bucket] : axisWords(point.start, bucket, zone),
        isNow: index === last,
        isMarked: point.notes.length > 0,
        words: pointWords(point, { bucket, zone, sampled }),
        height: point.clicks,
        notch: point.before,
      }))}
    />
  )
}

function pointWords(
  { start, clicks, visitors, before, notes }: SeriesPoint,
  { bucket, zone, sampled }: Pick<SeriesChartProps, 'bucket' | 'zone' | 'sampled'>,
): string[] {
  return [
    bucketWords(start, bucket, zone),
    countOfClicks(clicks, sampled),
    `${figure(visitors, sampled)} ${visitors === 1 ? 'visitor' : 'visitors'}`,
    ...(before === null ? [] : [`before: ${countOfClicks(before, sampled)}`]),
    ...notes,
  ]
}
