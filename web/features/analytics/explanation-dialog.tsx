import { useQuery } from '@tanstack/react-query'
import { reportVerdicts } from '#domain/hits.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { explanations } from './explanations.ts'
import { type FigureName, figureNames, type Figures, isIncluded, sumOf } from './figures.ts'
import { figure, verdictWords } from './report-words.ts'
import { topQuery } from './report-queries.ts'
import type { OpenReport } from './use-report.ts'
import { kindOf } from './view-parts.ts'

interface ExplanationDialogProps {
  /** The figure to explain; undefined when the dialog is closed. */
  name: FigureName | undefined
  figures: Figures
  report: OpenReport
  sampled: number | null
  onClose: () => void
}

/** The rules behind a figure in sentences, and the sum that it is. */
export function ExplanationDialog(props: ExplanationDialogProps) {
  const { name, figures, report, sampled, onClose } = props
  const title = name === undefined ? '' : `${figureNames[name]}: ${figure(figures[name], sampled)}`
  return (
    <Dialog open={name !== undefined} onClose={onClose} title={title}>
      {name === undefined ? null : (
        <div className="grid gap-4 text-sm leading-relaxed text-ink-soft">
          <Sum lines={sumLines(name, figures, report)} sampled={sampled} />
          {explanations[name].map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {name === 'filtered' ? <NamedBots report={report} /> : null}
          {sampled === null ? null : (
            <p>
              ≈ means estimated: one visitor in {sampled} was counted and taken times {sampled}.
              “Count exactly” below the range counts everyone.
            </p>
          )}
        </div>
      )}
    </Dialog>
  )
}

interface SumLine {
  name: string
  count: number
  sign: '' | '+' | '='
  /** Hits that a switch leaves out. */
  isOff?: boolean
}

function Sum({ lines, sampled }: { lines: readonly SumLine[]; sampled: number | null }) {
  return (
    <dl className="rounded-xl border border-line bg-paper px-3.5 py-2 text-ink">
      {lines.map(({ name, count, sign, isOff }) => (
        <div
          key={name}
          className={`flex items-baseline justify-between gap-4 py-1 ${sign === '=' ? 'mt-1 border-t border-line pt-2 font-semibold' : ''} ${isOff === true ? 'text-ink-faint' : ''}`}
        >
          <dt>
            <span aria-hidden className="inline-block w-4 font-mono text-ink-faint">
              {sign}
            </span>
            {name}
            {isOff === true ? ' (left out by the switch)' : ''}
          </dt>
          <dd className="font-mono tabular-nums">{figure(count, sampled)}</dd>
        </div>
      ))}
    </dl>
  )
}

function sumLines(name: FigureName, figures: Figures, { selection }: OpenReport): SumLine[] {
  const { parts, clicks, visitors, fresh, returning, filtered } = figures
  const { include } = selection
  const lineOf = (verdict: (typeof reportVerdicts)[number]): SumLine => ({
    name: verdictWords[verdict].name,
    count: parts[verdict] ?? 0,
    sign: verdict === 'counted' ? '' : '+',
    isOff: !isIncluded(verdict, include),
  })
  switch (name) {
    case 'clicks': {
      const bots = sumOf(parts, (verdict) => kindOf(verdict) === 'bots')
      const isBotless = !include.includes('bots')
      return [
        lineOf('counted'),
        lineOf('repeat'),
        lineOf('own'),
        { name: 'Bots', count: bots, sign: '+', isOff: isBotless },
        { name: 'Clicks', count: clicks, sign: '=' },
      ]
    }
    case 'filtered': {
      const left = reportVerdicts.filter((verdict) => !isIncluded(verdict, include))
      return [
        ...left.map((verdict, index): SumLine => {
          const { name: verdictName, count } = lineOf(verdict)
          return { name: verdictName, count, sign: index === 0 ? '' : '+' }
        }),
        { name: 'Filtered out', count: filtered, sign: '=' },
      ]
    }
    case 'visitors':
    case 'fresh':
    case 'returning':
      return [
        { name: 'New', count: fresh, sign: '' },
        { name: 'Returning', count: returning, sign: '+' },
        { name: 'Visits without repeats', count: fresh + returning, sign: '=' },
        ...(name === 'visitors' ? [{ name: 'Visitors', count: visitors, sign: '' as const }] : []),
      ]
  }
}

const shownBots = 8

/** Which bots came, by the names that they give themselves. */
function NamedBots({ report }: { report: OpenReport }) {
  const { userId, selection } = report
  const withBots = { ...selection, include: ['bots'] as const }
  const { data } = useQuery(topQuery(userId, withBots, 'bot', shownBots))
  const named = data?.rows.filter(({ key }) => key !== '') ?? []
  return named.length === 0 ? null : (
    <div>
      <h3 className="font-medium text-ink">Bots by name</h3>
      <ul className="mt-1">
        {named.map(({ key, clicks }) => (
          <li key={key} className="flex justify-between gap-4">
            <span className="min-w-0 truncate">{key}</span>
            <span className="font-mono tabular-nums">{figure(clicks, data?.sampled ?? null)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
