import './shared-report-page.css'
import { use } from 'react'
import { reportHref } from '#domain/forms/report-form.ts'
import { routes } from '#domain/routes.ts'
import { formatNumber } from '#domain/texts/catalog.ts'
import { LineIcon } from '#public-pages/frame/icon.tsx'
import { PageMark } from '#public-pages/frame/page-mark.tsx'
import { useVisitorTexts, VisitorLanguage } from '#public-pages/frame/visitor-language.ts'
import { ownersText } from '#public-pages/owners-text.ts'
import { ComparedLinks } from './compared-links.tsx'
import { DayChart } from './day-chart.tsx'
import {
  changeOf,
  reportFacts,
  notesOf,
  reportDimensions,
  reportTitle,
  scannedPart,
  type SharedReportView,
} from './report-view.ts'
import { ReportSplits } from './report-splits.tsx'
import { TopValues } from './top-values.tsx'

interface SharedReportPageProps {
  view: SharedReportView
  ranges: readonly number[]
  /** The path of the page; its files are below it. */
  path: string
}

/** The report of a link or a tag for people without an account. */
export function SharedReportPage({ view, ranges, path }: SharedReportPageProps) {
  const { sharedReport: texts } = useVisitorTexts()
  const language = use(VisitorLanguage)
  const { days, figures, code } = view
  return (
    <div className="shared">
      <Head view={view} path={path} />
      <h1 className="shared-title" {...ownersText}>
        {reportTitle(view)}
      </h1>
      <p className="shared-facts">
        {reportFacts(view, language).map((fact, index) => (
          <span key={fact} {...(index === 0 && ownersText)}>
            {fact}
          </span>
        ))}
      </p>
      <nav className="shared-ranges" aria-label={texts.time()}>
        {ranges.map((range) => (
          <a key={range} href={`?days=${range}`} aria-current={range === days ? 'page' : undefined}>
            {texts.days({ count: range })}
          </a>
        ))}
      </nav>
      <section className="shared-card" aria-label={texts.totals()}>
        <Totals view={view} />
        <DayChart report={figures.day} zone={view.zone} />
      </section>
      {code === null ? <ComparedLinks view={view} /> : null}
      {figures.splits.length === 0 ? null : <ReportSplits view={view} />}
      <div className="shared-lists">
        {reportDimensions.map((dimension) => (
          <TopValues key={dimension} dimension={dimension} report={figures[dimension]} />
        ))}
      </div>
      <Foot view={view} />
    </div>
  )
}

function Head({ view: { shownName, days }, path }: { view: SharedReportView; path: string }) {
  const { sharedReport: texts } = useVisitorTexts()
  return (
    <header className="shared-head">
      {shownName === null ? (
        <span className="shared-tile" aria-hidden="true">
          <PageMark />
        </span>
      ) : (
        <span className="shared-tile shared-letter" aria-hidden="true">
          {firstLetter(shownName)}
        </span>
      )}
      <p className="shared-owner">
        {shownName === null ? null : <strong {...ownersText}>{shownName}</strong>}
        <span>{texts.readOnly()}</span>
      </p>
      <p className="shared-files">
        {(['pdf', 'csv'] as const).map((kind) => (
          <a key={kind} href={`${path}/report.${kind}?days=${days}`}>
            <LineIcon name="download" size={16} />
            {texts[kind]()}
          </a>
        ))}
      </p>
    </header>
  )
}

/** The first character as people count them. */
function firstLetter(name: string): string {
  const [first] = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(name)
  return first?.segment.toLocaleUpperCase() ?? ''
}

function Totals({ view }: { view: SharedReportView }) {
  const { sharedReport: texts } = useVisitorTexts()
  const language = use(VisitorLanguage)
  const { day, scans } = view.figures
  const change = changeOf(view, language)
  return (
    <dl className="shared-totals">
      <div>
        <dt>{texts.clicks()}</dt>
        <dd>
          <b>{formatNumber(day.clicks, language)}</b>
          {change === undefined ? null : (
            <span className={change.isMore ? 'shared-more' : undefined}>{change.words}</span>
          )}
        </dd>
      </div>
      <div>
        <dt>{texts.visitors()}</dt>
        <dd>
          <b>{formatNumber(day.visitors ?? 0, language)}</b>
        </dd>
      </div>
      <div>
        <dt>{texts.fromQr()}</dt>
        <dd>
          <b>{scannedPart(view, language)}</b>
          <span>{texts.scans({ count: scans })}</span>
        </dd>
      </div>
    </dl>
  )
}

function Foot({ view }: { view: SharedReportView }) {
  const { sharedReport: texts } = useVisitorTexts()
  const language = use(VisitorLanguage)
  const reported = view.code ?? view.figures.compared[0]?.code
  return (
    <footer className="shared-foot">
      <p>{notesOf(view, language).join(' ')}</p>
      <p>
        <a href={routes.home.href()}>{texts.countedBy()}</a>
        {reported === undefined ? null : (
          <a href={reportHref(reported)} rel="nofollow">
            {texts.reportAbuse()}
          </a>
        )}
      </p>
    </footer>
  )
}
