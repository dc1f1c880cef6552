import { changeWords } from './change-words.ts'
import type { ClickTrend } from './report.ts'

const width = 92
const height = 28
/** Room for the line's own thickness. */
const margin = 2

const numbers = new Intl.NumberFormat()

/** The last 30 days of a row as a line. */
export function TrendLine({ trend, className = '' }: { trend: ClickTrend; className?: string }) {
  const { days, before } = trend
  const sum = clicksOf(trend)
  const { long } = changeWords(sum, before, 'the 30 days before')
  return (
    <svg
      role="img"
      aria-label={`Last 30 days: ${numbers.format(sum)} ${sum === 1 ? 'click' : 'clicks'}, ${long}`}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      className={`shrink-0 ${sum === 0 ? 'text-edge' : 'text-accent'} ${className}`}
    >
      <polyline
        points={pointsOf(days)}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  )
}

export function clicksOf({ days }: ClickTrend): number {
  return days.reduce((sum, clicks) => sum + clicks, 0)
}

function pointsOf(days: readonly number[]): string {
  const most = Math.max(1, ...days)
  const step = (width - 2 * margin) / Math.max(1, days.length - 1)
  return days
    .map((clicks, day) => {
      const x = margin + day * step
      const y = height - margin - (clicks / most) * (height - 2 * margin)
      return `${x.toFixed(1)},${y.toFixed(1)}`
    })
    .join(' ')
}
