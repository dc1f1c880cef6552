import './shared-report-page.css'
import { use } from 'react'
import { formatNumber } from '#domain/texts/catalog.ts'
import type { VisitorTexts } from '#domain/texts/catalogs.generated.ts'
import { type TextLanguage, textLanguages } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import { useVisitorTexts, VisitorLanguage } from '#public-pages/frame/visitor-language.ts'
import { ownersText } from '#public-pages/owners-text.ts'

interface ReportRow {
  /** Start of a day, else the value; '' is not known. */
  key: string
  clicks: number
}

interface Report {
  clicks: number
  visitors?: number
  rows: readonly ReportRow[]
  /** Clicks that are in none of the rows. */
  rest: number
}

type Dimension = 'country' | 'device' | 'referrer' | 'source'

interface SharedReportPageProps {
  host: string
  code: string
  /** The owner's. */
  title: string | undefined
  /** IANA name: its days are counted. */
  zone: string
  days: number
  ranges: readonly number[]
  figures: Readonly<Record<Dimension | 'day', Report>>
}

/** The report of one link for people without an account. */
export function SharedReportPage(props: SharedReportPageProps) {
  const { host, code, title, zone, days, ranges, figures } = props
  const { day: byDay } = figures
  const { sharedReport: texts } = useVisitorTexts()
  const language = use(VisitorLanguage)
  return (
    <div className="shared">
      {title === undefined ? null : (
        <p className="shared-owners" {...ownersText}>
          {title}
        </p>
      )}
      <h1 className="shared-title">
        {host}/<wbr />
        {code}
      </h1>
      <nav className="shared-ranges" aria-label={texts.time()}>
        {ranges.map((range) => (
          <a key={range} href={`?days=${range}`} aria-current={range === days ? 'page' : undefined}>
            {texts.days({ count: range })}
          </a>
        ))}
      </nav>
      <dl className="shared-totals">
        <div>
          <dt>{texts.clicks()}</dt>
          <dd>{formatNumber(byDay.clicks, language)}</dd>
        </div>
        <div>
          <dt>{texts.visitors()}</dt>
          <dd>{formatNumber(byDay.visitors ?? 0, language)}</dd>
        </div>
      </dl>
      <Days report={byDay} zone={zone} />
      <div className="shared-lists">
        {(['country', 'device', 'referrer', 'source'] as const).map((dimension) => (
          <TopList key={dimension} dimension={dimension} report={figures[dimension]} />
        ))}
      </div>
      <p className="shared-note">{texts.note({ zone })}</p>
    </div>
  )
}

const chart = { width: 600, height: 160 }

function Days({ report: { rows, clicks }, zone }: { report: Report; zone: string }) {
  const { sharedReport: texts } = useVisitorTexts()
  const language = use(VisitorLanguage)
  const { locale } = textLanguages[language]
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: zone })
  const most = Math.max(1, ...rows.map((row) => row.clicks))
  const step = chart.width / Math.max(1, rows.length)
  return (
    <section className="shared-card" aria-label={texts.byDay()}>
      {/* Attributes, not styles: the page's policy allows no inline style. */}
      <svg
        className="shared-chart"
        viewBox={`0 0 ${chart.width} ${chart.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={texts.byDayInAll({ count: clicks })}
      >
        {rows.map(({ key, clicks: count }, index) => {
          const height = Math.max(count === 0 ? 1 : 3, (count / most) * chart.height)
          return (
            <rect
              key={key}
              x={(index * step + step * 0.1).toFixed(1)}
              y={(chart.height - height).toFixed(1)}
              width={(step * 0.8).toFixed(1)}
              height={height.toFixed(1)}
              className={count === 0 ? 'shared-none' : undefined}
            />
          )
        })}
      </svg>
      <details className="shared-table">
        <summary>{texts.table()}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.day()}</th>
              <th scope="col">{texts.clicks()}</th>
            </tr>
          </thead>
          <tbody>
            {rows.toReversed().map(({ key, clicks: count }) => (
              <tr key={key}>
                <th scope="row">{day.format(new Date(key))}</th>
                <td>{formatNumber(count, language)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}

function TopList({ dimension, report }: { dimension: Dimension; report: Report }) {
  const { sharedReport: texts } = useVisitorTexts()
  const language = use(VisitorLanguage)
  const unknown = dimension === 'referrer' ? texts.unknownReferrer() : texts.unknown()
  const most = Math.max(1, ...report.rows.map((row) => row.clicks))
  return (
    <section className="shared-card" aria-labelledby={`list-${dimension}`}>
      <h2 className="shared-name" id={`list-${dimension}`}>
        {texts[dimension]()}
      </h2>
      {report.rows.length === 0 ? (
        <p className="shared-empty">{texts.none()}</p>
      ) : (
        <ol className="shared-rows">
          {report.rows.map(({ key, clicks }) => (
            <li key={key}>
              <svg
                className="shared-bar"
                viewBox="0 0 100 1"
                preserveAspectRatio="none"
                aria-hidden="true"
              >
                <rect width={(clicks / most) * 100} height="1" />
              </svg>
              <span>{nameOf(dimension, key, language) || unknown}</span>
              <span className="shared-count">{formatNumber(clicks, language)}</span>
            </li>
          ))}
        </ol>
      )}
      {report.rest > 0 ? (
        <p className="shared-empty">{texts.rest({ count: report.rest })}</p>
      ) : null}
    </section>
  )
}

function nameOf(dimension: Dimension, key: string, language: TextLanguage): string {
  if (dimension === 'referrer' || key === '') return key
  if (dimension === 'country') return countryOf(key, textLanguages[language].locale)
  const { clickWords: words } = visitorTexts(language)
  return isClickWord(key, words) ? words[key]() : key
}

function countryOf(key: string, locale: string): string {
  if (!/^[A-Z]{2}$/.test(key)) return key
  return new Intl.DisplayNames(locale, { type: 'region' }).of(key) ?? key
}

function isClickWord(
  key: string,
  words: VisitorTexts['clickWords'],
): key is keyof VisitorTexts['clickWords'] {
  return Object.hasOwn(words, key)
}
