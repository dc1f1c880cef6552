import { Link } from '@tanstack/react-router'
import { ChartColumn } from 'lucide-react'
import type { ListDimension } from '#domain/reports/hits.ts'
import type { ClickReport, ReportLine } from '#domain/reports/report-answers.ts'
import { routes } from '#domain/routes.ts'
import { LinkName, linkWords } from '#web/link-name.tsx'
import { figure, shareWords } from '../report-words.ts'
import { valueName } from './dimension-words.ts'

interface TopListProps {
  dimension: ListDimension
  list: ClickReport
  /** Its rows that are shown; without them, all. */
  rows?: readonly ReportLine[]
  chosen: readonly string[]
  onToggle: (value: string) => void
}

/** Values with their clicks; pressing one narrows the report to it. */
export function TopList({ dimension, list, rows = list.rows, chosen, onToggle }: TopListProps) {
  const most = Math.max(1, ...list.rows.map(({ clicks }) => clicks))
  return (
    <ul className="grid grid-cols-[minmax(0,1fr)] gap-1">
      {rows.map((row) => (
        <li key={row.key} className="group/row relative">
          <Row
            {...{ row, most, dimension }}
            whole={list.clicks}
            sampled={list.sampled}
            isChosen={chosen.includes(row.key)}
            onToggle={() => onToggle(row.key)}
          />
          {dimension === 'target' ? <ToReport row={row} /> : null}
        </li>
      ))}
    </ul>
  )
}

interface RowProps {
  row: ReportLine
  most: number
  whole: number
  sampled: number | null
  dimension: ListDimension
  isChosen: boolean
  onToggle: () => void
}

function Row({ row, most, whole, sampled, dimension, isChosen, onToggle }: RowProps) {
  const isLink = dimension === 'target' && row.kind === 'link' && row.label !== undefined
  const name = isLink
    ? linkWords({ code: row.label ?? '', title: row.title })
    : valueName(dimension, row)
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      title={name}
      onClick={onToggle}
      className={`relative flex h-8 w-full items-center gap-3 rounded-md px-2.5 text-left text-sm hover:bg-sunken/60 aria-pressed:after:absolute aria-pressed:after:inset-0 aria-pressed:after:rounded-md aria-pressed:after:border-2 aria-pressed:after:border-ink pointer-coarse:h-11 ${dimension === 'target' ? 'pr-11!' : ''}`}
    >
      <span
        aria-hidden
        className="absolute inset-y-0 left-0 rounded-md bg-sunken"
        style={{ width: `${(row.clicks / most) * 100}%` }}
      />
      <bdi
        className={`relative min-w-0 grow truncate ${row.key === '' && dimension !== 'domain' ? 'text-ink-soft italic' : ''}`}
      >
        {dimension === 'country' && row.key !== '' ? (
          <span aria-hidden className="mr-2 font-mono text-xs text-ink-faint">
            {row.key}
          </span>
        ) : null}
        {isLink ? <LinkName code={row.label ?? ''} title={row.title} isInline isPlain /> : name}
      </bdi>
      <span className="relative font-mono tabular-nums">
        {figure(row.clicks, sampled, true)}
        <span className="sr-only">{` ${unitOf(dimension, row)}${row.clicks === 1 ? '' : 's'}`}</span>
      </span>
      <span className="relative w-9 text-right text-xs text-ink-faint tabular-nums">
        {shareWords(row.clicks, whole)}
      </span>
    </button>
  )
}

/** Hits of bots are not clicks. */
function unitOf(dimension: ListDimension, { key }: ReportLine): 'click' | 'hit' {
  const isClick = dimension !== 'bot' && (dimension !== 'verdict' || clickVerdicts.has(key))
  return isClick ? 'click' : 'hit'
}

const clickVerdicts: ReadonlySet<string> = new Set(['counted', 'repeat', 'own', 'imported'])

/** The way from a row to the report about it alone. */
function ToReport({ row }: { row: ReportLine }) {
  const { key, kind, label = '' } = row
  if (kind !== 'link' && kind !== 'bio' && kind !== 'bio_link') return null
  return (
    <Link
      to={routes.analytics.path}
      search={{ scope: kind, id: key }}
      preload={false}
      title="Only this"
      className="absolute inset-y-0 right-0 grid w-9 place-items-center rounded-md text-ink-faint hover:text-ink pointer-coarse:w-11"
    >
      <ChartColumn size={15} aria-hidden />
      <span className="sr-only">Analytics of {label}</span>
    </Link>
  )
}
