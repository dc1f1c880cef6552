import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { labelStep, roundUp } from './chart-scale.ts'
import { useSize } from './use-size.ts'

export interface ChartBar {
  /** Stable and unique. */
  key: string
  /** Below the chart, where it has room. */
  label: string
  /** Its announcement: name, figure, and the others. */
  words: readonly string[]
  height: number
  /** Of the line over the bars; null where it has no point. */
  line: number | null
}

interface BarChartProps {
  bars: readonly ChartBar[]
  /** Its bars, which its arrow keys move over. */
  name: string
}

const numbers = new Intl.NumberFormat()

export const chartHeight = 232
const top = 20
const bottom = 24
const plotHeight = chartHeight - top - bottom
const labelWidth = 74
/** Of the labels below the chart, about. */
const halfLetter = 3.4

/** Bars with a faint line. Arrow keys walk over the bars, and the reached bar is announced. */
export function BarChart({ bars, name }: BarChartProps) {
  const { ref, size } = useSize()
  const [active, setActive] = useState<number>()
  const [spoken, setSpoken] = useState('')
  const last = bars.length - 1
  const most = roundUp(Math.max(...bars.flatMap(({ height, line }) => [height, line ?? 0])))
  const left = numbers.format(most).length * 2 * halfLetter + 8
  const step = (size.width - left) / Math.max(1, bars.length)

  function onKeyDown(event: KeyboardEvent) {
    const from = active ?? last + 1
    const next = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last }[event.key]
    if (event.key === 'Escape') setActive(undefined)
    if (next === undefined) return
    event.preventDefault()
    const index = Math.min(Math.max(next, 0), last)
    setActive(index)
    setSpoken(bars[index]?.words.join(', ') ?? '')
  }

  function onPointer(event: PointerEvent<HTMLElement>) {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left
    setActive(Math.min(Math.max(Math.floor((x - left) / step), 0), last))
  }

  const bar = active === undefined ? undefined : bars[active]
  return (
    <div className="relative" style={{ height: chartHeight }}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- no tag is a chart */}
      <div
        ref={ref}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- no tag is a chart
        role="group"
        aria-roledescription="chart"
        aria-label={name}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its keys are the arrow keys
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setActive(undefined)
          setSpoken('')
        }}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        onPointerLeave={() => setActive(undefined)}
        className="absolute inset-0 touch-pan-y rounded-md"
      >
        {size.width === 0 ? null : (
          <Bars {...{ bars, active, most, left, step }} width={size.width} />
        )}
      </div>
      {bar === undefined || active === undefined ? null : (
        <Tip words={bar.words} at={(left + (active + 0.5) * step) / size.width} />
      )}
      <output className="sr-only">{spoken}</output>
    </div>
  )
}

interface BarsProps extends Pick<BarChartProps, 'bars'> {
  active: number | undefined
  /** A round number above all bars. */
  most: number
  /** Where the bars begin: beside the labels of the lines. */
  left: number
  step: number
  width: number
}

function Bars({ bars, active, most, left, step, width }: BarsProps) {
  const yOf = (value: number) => top + plotHeight * (1 - value / most)
  const gap = Math.min(7, step * 0.32)
  const every = labelStep(bars.length, width - left, labelWidth)
  return (
    <svg aria-hidden width={width} height={chartHeight} className="block overflow-visible">
      {[most, most / 2].map((level) => (
        <g key={level}>
          <line
            x1={left}
            x2={width}
            y1={yOf(level)}
            y2={yOf(level)}
            stroke="var(--line)"
            strokeDasharray="3 3"
          />
          <text
            x={left - 8}
            y={yOf(level) + 4}
            fontSize="11"
            fill="var(--ink-faint)"
            textAnchor="end"
          >
            {numbers.format(level)}
          </text>
        </g>
      ))}
      {bars.map(({ key, height: value }, index) => {
        const height = value === 0 ? 0 : Math.max(2, (value / most) * plotHeight)
        const barWidth = Math.max(1, step - gap)
        return (
          <rect
            key={key}
            x={left + index * step + (step - barWidth) / 2}
            y={top + plotHeight - height}
            width={barWidth}
            height={height}
            rx={Math.min(3, barWidth / 3)}
            fill="var(--accent)"
            opacity={active === index ? 1 : 0.48}
          />
        )
      })}
      <Line {...{ bars, left, step, yOf }} />
      <line
        x1={left}
        x2={width}
        y1={top + plotHeight + 0.5}
        y2={top + plotHeight + 0.5}
        stroke="var(--edge)"
      />
      {bars.map(({ key, label }, index) => {
        const half = label.length * halfLetter
        const x = left + Math.max((index + 0.5) * step, half)
        return index % every === 0 && x + half <= width ? (
          <text
            key={key}
            x={x}
            y={chartHeight - 6}
            fontSize="12"
            fill="var(--ink-faint)"
            textAnchor="middle"
          >
            {label}
          </text>
        ) : null
      })}
    </svg>
  )
}

interface LineProps extends Pick<BarsProps, 'bars' | 'left' | 'step'> {
  yOf: (value: number) => number
}

function Line({ bars, left, step, yOf }: LineProps) {
  const points = bars.flatMap(({ line }, index) =>
    line === null ? [] : [`${(left + (index + 0.5) * step).toFixed(1)},${yOf(line).toFixed(1)}`],
  )
  return points.length < 2 ? null : (
    <polyline
      points={points.join(' ')}
      fill="none"
      stroke="var(--ink-faint)"
      strokeWidth="1.5"
      strokeLinejoin="round"
      opacity="0.55"
    />
  )
}

function Tip({ words: [title, ...lines], at }: { words: readonly string[]; at: number }) {
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute -top-1 z-[2] w-max max-w-52 rounded-md bg-ink px-2.5 py-1.5 text-xs text-paper shadow-lift"
      // Moved to the left by as much of its own width as it stands to the right.
      style={{ left: `${at * 100}%`, transform: `translateX(${-at * 100}%)` }}
    >
      <p className="opacity-75">{title}</p>
      {lines.map((line, index) => (
        <p key={line} className={index === 0 ? 'font-semibold' : 'opacity-75'}>
          {line}
        </p>
      ))}
    </div>
  )
}
