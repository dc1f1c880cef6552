import { changeWords } from './change-words.ts'
import { DayLine } from './day-line.tsx'
import type { ClickTrend } from '#domain/reports/report-answers.ts'

const numbers = new Intl.NumberFormat()

/** The last 30 days of a row as a line. */
export function TrendLine({ trend, className = '' }: { trend: ClickTrend; className?: string }) {
  const { days, before } = trend
  const sum = clicksOf(trend)
  const { long } = changeWords(sum, before, 'the 30 days before')
  return (
    <DayLine
      days={days}
      label={`Last 30 days: ${numbers.format(sum)} ${sum === 1 ? 'click' : 'clicks'}, ${long}`}
      className={className}
    />
  )
}

export function clicksOf({ days }: ClickTrend): number {
  return days.reduce((sum, clicks) => sum + clicks, 0)
}
