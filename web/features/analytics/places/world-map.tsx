import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import type { ClickReport, ReportLine } from '#domain/reports/report-answers.ts'
import { countryName } from '#web/ui/code-names.ts'
import { countOfClicks } from '../report-words.ts'
import { type CountryShape, countryShapes, mapSize } from './country-shapes.ts'

interface WorldMapProps {
  list: ClickReport
  chosen: readonly string[]
  onToggle: (code: string) => void
}

/**
 * Clicks by country in shades. One stop of the tab key: the arrow keys walk over the countries with clicks, from the most
 * to the fewest. The list beside it has the same in words.
 */
export function WorldMap({ list, chosen, onToggle }: WorldMapProps) {
  const svg = useRef<SVGSVGElement>(null)
  const [active, setActive] = useState<string>()
  const byCode = useMemo(() => new Map(list.rows.map((row) => [row.key, row])), [list])
  const walked = useMemo(() => {
    const drawn = new Set(countryShapes.map(({ code }) => code))
    return list.rows.map(({ key }) => key).filter((key) => drawn.has(key))
  }, [list])
  const most = Math.max(1, ...walked.map((code) => byCode.get(code)?.clicks ?? 0))
  const stop = active !== undefined && walked.includes(active) ? active : walked[0]
  const shown = active === undefined ? undefined : byCode.get(active)

  function walk(event: KeyboardEvent) {
    const at = walked.indexOf(stop ?? '')
    const to = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: walked.length - 1,
    }[event.key]
    const code = to === undefined ? undefined : walked[to]
    if (code === undefined) return
    event.preventDefault()
    svg.current?.querySelector<SVGElement>(`[data-code="${code}"]`)?.focus()
  }

  return (
    <div className="relative">
      <svg
        ref={svg}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- no tag is a map
        role="group"
        aria-label="Clicks by country. The arrow keys walk from the most clicks to the fewest."
        viewBox={`0 0 ${mapSize.width} ${mapSize.height}`}
        onPointerLeave={() => setActive(undefined)}
        className="block w-full"
      >
        {countryShapes.map((shape) => (
          <Country
            key={shape.name}
            shape={shape}
            row={byCode.get(shape.code ?? '')}
            {...{ most, onToggle }}
            sampled={list.sampled}
            isChosen={shape.code !== undefined && chosen.includes(shape.code)}
            isStop={shape.code === stop}
            onActive={setActive}
            onWalk={walk}
          />
        ))}
      </svg>
      <Scale most={most} sampled={list.sampled} />
      <p
        aria-hidden
        className="pointer-events-none absolute bottom-0 left-0 rounded-md bg-ink px-2.5 py-1.5 text-xs text-paper empty:hidden"
      >
        {active === undefined
          ? ''
          : `${countryName(active)} · ${countOfClicks(shown?.clicks ?? 0, list.sampled)}`}
      </p>
    </div>
  )
}

interface CountryProps {
  shape: CountryShape
  row: ReportLine | undefined
  most: number
  sampled: number | null
  isChosen: boolean
  isStop: boolean
  onToggle: (code: string) => void
  onActive: (code: string | undefined) => void
  /** For the keys that do not press it. */
  onWalk: (event: KeyboardEvent) => void
}

function Country(props: CountryProps) {
  const { shape, row, most, sampled, isChosen, isStop, onToggle, onActive, onWalk } = props
  const { code, path } = shape
  if (code === undefined || row === undefined)
    return (
      <path
        d={path}
        fill="var(--sunken)"
        stroke="var(--line)"
        strokeWidth="0.6"
        onPointerEnter={() => onActive(code)}
      />
    )
  return (
    <path
      d={path}
      data-code={code}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a shape of a drawing is no button by itself
      role="button"
      tabIndex={isStop ? 0 : -1}
      aria-pressed={isChosen}
      aria-label={`${countryName(code)}, ${countOfClicks(row.clicks, sampled)}`}
      fill="var(--ink)"
      fillOpacity={shadeOf(row.clicks, most)}
      stroke={isChosen ? 'var(--ink)' : 'var(--surface)'}
      strokeWidth={isChosen ? 1.6 : 0.6}
      onPointerEnter={() => onActive(code)}
      onFocus={() => onActive(code)}
      onBlur={() => onActive(undefined)}
      onClick={() => onToggle(code)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return onWalk(event)
        event.preventDefault()
        onToggle(code)
      }}
      className="cursor-pointer outline-none focus-visible:stroke-[var(--focus)] focus-visible:stroke-2"
    />
  )
}

const shades = [0.16, 0.33, 0.5, 0.68, 0.86]

/** One of five, by the root: one country has most of the clicks, and the others must differ too. */
function shadeOf(clicks: number, most: number): number {
  const step = Math.ceil(Math.sqrt(clicks / most) * shades.length)
  return shades[Math.max(0, step - 1)] ?? 1
}

/** The shades from one click to the most. */
function Scale({ most, sampled }: { most: number; sampled: number | null }) {
  return (
    <p aria-hidden className="flex items-center justify-end gap-1 text-xs text-ink-faint">
      <span className="mr-1">1</span>
      {shades.map((shade) => (
        <span key={shade} className="h-2.5 w-5 rounded-xs bg-ink" style={{ opacity: shade }} />
      ))}
      <span className="ml-1">{countOfClicks(most, sampled)}</span>
    </p>
  )
}
