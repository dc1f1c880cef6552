const width = 92
const height = 28
/** Room for the dot at its end. */
const margin = 3

interface DayLineProps {
  /** A figure for each day, the oldest first. */
  days: readonly number[]
  /** In words, for people who do not see it. */
  label: string
  className?: string
}

/** Figures of some days as a line that ends in a dot: today. */
export function DayLine({ days, label, className = '' }: DayLineProps) {
  const points = pointsOf(days)
  const end = points.at(-1)
  const isFlat = days.every((figure) => figure === 0)
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      className={`shrink-0 ${isFlat ? 'text-edge' : 'text-ink-soft'} ${className}`}
    >
      <polyline
        points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      {isFlat || end === undefined ? null : (
        <circle cx={end.x} cy={end.y} r="2.6" fill="var(--accent)" />
      )}
    </svg>
  )
}

function pointsOf(days: readonly number[]): { x: string; y: string }[] {
  const most = Math.max(1, ...days)
  const step = (width - 2 * margin) / Math.max(1, days.length - 1)
  return days.map((figure, day) => ({
    x: (margin + day * step).toFixed(1),
    y: (height - margin - (figure / most) * (height - 2 * margin)).toFixed(1),
  }))
}
