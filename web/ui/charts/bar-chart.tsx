import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { labelStep, roundUp } from './chart-scale.ts'
import { hop, hopRadius } from '../hop.ts'
import { useSize } from '../hooks/use-size.ts'

export interface ChartBar {
  /** Stable and unique. */
  key: string
  /** Below the chart, where it has room. */
  label: string
  /** Its announcement: name, figure, and the others. */
  words: readonly string[]
  height: number
  /** A second figure, as a notch in the bar or a line above it; null without one. */
  notch: number | null
  /** A dot below it. */
  isMarked?: boolean
  /** Its time is running: it is drawn in the accent color and always has its label. */
  isNow?: boolean
}

interface BarChartProps {
  bars: readonly ChartBar[]
  /** The answered question. A rise is news only within one; undefined: no rise is. */
  question?: string | undefined
  /** Its bars, which its arrow keys move over. */
  name: string
  /** A click or Enter on a bar, by its key. On touch screens a press only reads. */
  onPress?: ((key: string) => void) | undefined
}

const numbers = new Intl.NumberFormat()

export const chartHeight = 184
const top = 10
const bottom = 24
const plotHeight = chartHeight - top - bottom
const labelWidth = 74
/** Half the width of a letter of the labels below the chart, about. */
const halfLetter = 3.4

/** Bars with notches. Arrow keys walk over the bars, and the reached bar is announced. */
export function BarChart({ bars, question, name, onPress }: BarChartProps) {
  const { ref, size } = useSize()
  const [active, setActive] = useState<number>()
  const [spoken, setSpoken] = useState('')
  const last = bars.length - 1
  const most = roundUp(Math.max(...bars.flatMap(({ height, notch }) => [height, notch ?? 0])))
  const left = numbers.format(most).length * 2 * halfLetter + 8
  const step = (size.width - left) / Math.max(1, bars.length)

  const bar = active === undefined ? undefined : bars[active]

  function onKeyDown(event: KeyboardEvent) {
    const from = active ?? last + 1
    const next = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last }[event.key]
    if (event.key === 'Escape') setActive(undefined)
    if (event.key === 'Enter' && bar !== undefined) {
      // The field of a dialog that opens now would get the same press.
      event.preventDefault()
      onPress?.(bar.key)
    }
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
        onClick={({ nativeEvent }) => {
          const isTouch =
            nativeEvent instanceof globalThis.PointerEvent && nativeEvent.pointerType === 'touch'
          if (!isTouch && bar !== undefined) onPress?.(bar.key)
        }}
        onPointerLeave={() => setActive(undefined)}
        className={`absolute inset-0 touch-pan-y rounded-md ${onPress === undefined ? '' : 'cursor-pointer'}`}
      >
        {size.width === 0 ? null : (
          <Bars {...{ bars, question, active, most, left, step }} width={size.width} />
        )}
      </div>
      {bar === undefined || active === undefined ? null : (
        <Tip words={bar.words} at={(left + (active + 0.5) * step) / size.width} />
      )}
      <output className="sr-only">{spoken}</output>
    </div>
  )
}

interface BarsProps extends Pick<BarChartProps, 'bars' | 'question'> {
  active: number | undefined
  /** A round number above all bars. */
  most: number
  /** Where the bars begin: beside the labels of the lines. */
  left: number
  step: number
  width: number
}

function Bars({ bars, question, active, most, left, step, width }: BarsProps) {
  const yOf = (value: number) => top + plotHeight * (1 - value / most)
  const gap = Math.min(7, step * 0.32)
  const every = labelStep(bars.length, width - left, labelWidth)
  // Before the label of the running bar.
  const free = bars.at(-1)?.isNow === true ? width - labelWidth : width
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
      {bars.map((bar, index) => (
        <Bar
          key={bar.key}
          bar={bar}
          x={left + index * step + gap / 2}
          width={Math.max(1, step - gap)}
          yOf={yOf}
          step={step}
          before={bars[index - 1]?.height ?? 0}
          question={question}
          isFaint={active !== undefined && active !== index}
        />
      ))}
      <line
        x1={left}
        x2={width}
        y1={top + plotHeight + 0.5}
        y2={top + plotHeight + 0.5}
        stroke="var(--edge)"
      />
      {bars.map(({ key, label, isNow = false }, index) => {
        const half = label.length * halfLetter
        const x = left + Math.min(Math.max((index + 0.5) * step, half), width - left - half)
        const isShown = isNow || (index % every === 0 && x + half <= free)
        return isShown ? (
          <text
            key={key}
            x={x}
            y={chartHeight - 6}
            fontSize="12"
            fill={isNow ? 'var(--accent-text)' : 'var(--ink-faint)'}
            textAnchor="middle"
          >
            {label}
          </text>
        ) : null
      })}
    </svg>
  )
}

interface BarProps {
  bar: ChartBar
  x: number
  width: number
  yOf: (value: number) => number
  /** From one bar to the next, in pixels. */
  step: number
  /** Height of the bar before, from which the dot hops. */
  before: number
  question: string | undefined
  /** While another one is read. */
  isFaint: boolean
}

function Bar(props: BarProps) {
  const { bar, x, width, yOf, step, before, question, isFaint } = props
  const { height: value, notch, isNow = false, isMarked = false } = bar
  const drawn = useRef<SVGRectElement>(null)
  const last = useRef({ value, question })
  useEffect(() => {
    const isSame = question !== undefined && question === last.current.question
    const isNews = isSame && value > last.current.value
    last.current = { value, question }
    if (isNow && isNews && drawn.current !== null)
      hopOnto(drawn.current, { x: -step, y: yOf(before) - yOf(value) })
  })
  const bottomOf = yOf(0)
  const y = value === 0 ? bottomOf : Math.min(yOf(value), bottomOf - 2)
  const notchY = notch === null || notch === 0 ? undefined : Math.min(yOf(notch), bottomOf - 3)
  return (
    <g opacity={isFaint ? 0.55 : 1}>
      <rect
        ref={drawn}
        x={x}
        y={y}
        width={width}
        height={bottomOf - y}
        rx={Math.min(3, width / 3)}
        fill={isNow ? 'var(--accent)' : 'var(--ink)'}
        fillOpacity={isNow ? 1 : 0.86}
      />
      {notchY === undefined ? null : (
        <rect
          x={x}
          y={notchY}
          width={width}
          height="2"
          fill={notchY > y ? 'var(--surface)' : 'var(--edge)'}
        />
      )}
      {isMarked ? <circle cx={x + width / 2} cy={bottomOf + 5} r="2.5" fill="var(--ink)" /> : null}
    </g>
  )
}

/** A dot hops from the top of the bar before, `from` away, onto the top of this one, where that is in sight. */
function hopOnto(bar: SVGRectElement, from: { x: number; y: number }): void {
  const { left, top: y, width } = bar.getBoundingClientRect()
  const x = left + width / 2
  if (bar.ownerSVGElement?.contains(document.elementFromPoint(x, y + 1)) !== true) return
  const rest = y - hopRadius
  hop({ x: x + from.x, y: rest + from.y }, { x, y: rest })
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
