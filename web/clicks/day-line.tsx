const width = 92
const height = 28
/** Room for the line's own thickness. */
const margin = 2

interface DayLineProps {
  /** A figure for each day, the oldest first. */
  days: readonly number[]
  /** In words, for people who do not see it. */
  label: string
  className?: string
}

/** Figures of some days as a line. */
export function DayLine({ days, label, className = '' }: DayLineProps) {
  const isFlat = days.every((figure) => figure === 0)
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      className={`shrink-0 ${isFlat ? 'text-edge' : 'text-accent'} ${className}`}
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

function pointsOf(days: readonly number[]): string {
  const most = Math.max(1, ...days)
  const step = (width - 2 * margin) / Math.max(1, days.length - 1)
  return days
    .map((figure, day) => {
      const x = margin + day * step
      const y = height - margin - (figure / most) * (height - 2 * margin)
      return `${x.toFixed(1)},${y.toFixed(1)}`
    })
    .join(' ')
}
