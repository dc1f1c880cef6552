import { useState } from 'react'
import { type reportVerdicts } from '#domain/reports/hits.ts'
import type { ClickReport } from '#domain/reports/report-answers.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { type Figures, figuresOf, isIncluded, sumOf } from './figures.ts'
import { IntegrityCard } from './integrity-card.tsx'
import { TopCard } from './lists/top-card.tsx'
import { figure, reportTexts, verdictWords } from './report-words.ts'
import type { OpenReport } from './use-report.ts'
import { kindOf } from './view-parts.ts'

interface HowWeCountProps {
  report: OpenReport
  totals: ClickReport | undefined
}

const rules = [
  'We log every visit and label it once. Filters change the view, not the log.',
  'Repeat: same visitor, same link, within 30 minutes.',
  'My visits: from a browser in which you used Hoplet that day.',
  'We recognize bots by their user agent: crawlers, link previews, uptime monitors and programs. Prefetches and HEAD requests count as bots too.',
  'Each visitor counts once a day, however often they click. Yours and bots do not count.',
  reportTexts.visitorsRule,
]

/** The sum behind the clicks, the rules, the labels of all visits, and the proof that none is lost. */
export function HowWeCount({ report, totals }: HowWeCountProps) {
  const [isOpen, setOpen] = useState(false)
  const sampled = totals?.sampled ?? null
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className="min-h-9 rounded-md px-2 text-sm text-ink-soft underline decoration-line underline-offset-4 hover:text-ink hover:decoration-ink pointer-coarse:min-h-11"
      >
        How we count
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="How we count" shape="wide">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5 sm:grid-cols-2">
          <div className="grid content-start gap-4 text-sm text-ink-soft">
            {totals === undefined ? null : (
              <Sum
                lines={sumLines(figuresOf(totals, report.selection.include), report)}
                sampled={sampled}
              />
            )}
            {rules.map((sentence) => (
              <p key={sentence}>{sentence}</p>
            ))}
            {sampled === null ? null : (
              <p>
                ≈ means estimated: one visitor in {sampled}, taken times {sampled}.
              </p>
            )}
            <p>Times in {totals?.time_zone ?? report.zone}</p>
          </div>
          <div className="grid content-start gap-4">
            <TopCard
              title="Traffic quality"
              report={report}
              tabs={[
                { name: 'Traffic quality', dimensions: ['verdict'] },
                { name: 'Bots', dimensions: ['bot'] },
              ]}
            />
            <IntegrityCard report={report} />
          </div>
        </div>
      </Dialog>
    </>
  )
}

interface SumLine {
  name: string
  count: number
  sign: '' | '+' | '='
  /** Hits that a filter leaves out. */
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
            {isOff === true ? ' (excluded)' : ''}
          </dt>
          <dd className="font-mono tabular-nums">{figure(count, sampled)}</dd>
        </div>
      ))}
    </dl>
  )
}

function sumLines({ parts, clicks, filtered }: Figures, { selection }: OpenReport): SumLine[] {
  const { include } = selection
  const lineOf = (verdict: (typeof reportVerdicts)[number]): SumLine => ({
    name: verdictWords[verdict].name,
    count: parts[verdict] ?? 0,
    sign: verdict === 'counted' ? '' : '+',
    isOff: !isIncluded(verdict, include),
  })
  const bots = sumOf(parts, (verdict) => kindOf(verdict) === 'bots')
  return [
    lineOf('counted'),
    lineOf('repeat'),
    lineOf('own'),
    { name: 'Bots and interstitials', count: bots, sign: '+', isOff: !include.includes('bots') },
    ...((parts.imported ?? 0) > 0 ? [lineOf('imported')] : []),
    { name: 'Clicks', count: clicks, sign: '=' },
    { name: 'Excluded', count: filtered, sign: '' },
  ]
}
