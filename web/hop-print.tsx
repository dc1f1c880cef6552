import { hopShape } from '#domain/links/hop-print.ts'
import { readNamedOn } from '#domain/links/link-address.ts'

interface HopPrintProps {
  code: string
  width?: number
  height?: number
  className?: string | undefined
}

/** The hops of a short code, in the color of the text; the last dot in the accent color. */
export function HopPrint({ code, width = 44, height = 40, className }: HopPrintProps) {
  const { arcs, landings, goal } = hopShape(readNamedOn(code).name, width, height)
  return (
    <svg {...{ width, height, className }} viewBox={`0 0 ${width} ${height}`} aria-hidden>
      <path d={arcs} fill="none" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />
      {landings.map(({ x, y }) => (
        <circle key={x} cx={x} cy={y} r="2" fill="currentColor" />
      ))}
      <circle cx={goal.x} cy={goal.y} r="3" fill="var(--accent)" />
    </svg>
  )
}
