import { ownersText } from '#public-pages/owners-text.ts'
import './shared-report-page.css'

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

const numbers = new Intl.NumberFormat('en-US')
const countries = new Intl.DisplayNames('en', { type: 'region' })

const lists: Readonly<Record<Dimension, { title: string; unknown: string }>> = {
  country: { title: 'Countries', unknown: 'Not known' },
  device: { title: 'Devices', unknown: 'Not known' },
  referrer: { title: 'Referrers', unknown: 'Direct or unknown' },
  source: { title: 'Sources', unknown: 'Not known' },
}

const words: Readonly<Partial<Record<string, string>>> = {
  desktop: 'Desktop',
  mobile: 'Mobile',
  tablet: 'Tablet',
  tv: 'TV',
  bot: 'Bot',
  other: 'Other',
  link: 'Link',
  qr: 'QR code',
  bio: 'Bio page',
  popup: 'Popup',
  api: 'API',
}

/** The report of one link for people without an account. */
export function SharedReportPage(props: SharedReportPageProps) {
  const { host, code, title, zone, days, ranges, figures } = props
  const { day: byDay } = figures
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
      <nav className="shared-ranges" aria-label="Time">
        {ranges.map((range) => (
          <a key={range} href={`?days=${range}`} aria-current={range === days ? 'page' : undefined}>
            {range} days
          </a>
        ))}
      </nav>
      <dl className="shared-totals">
        <div>
          <dt>Clicks</dt>
          <dd>{numbers.format(byDay.clicks)}</dd>
        </div>
        <div>
          <dt>Visitors</dt>
          <dd>{numbers.format(byDay.visitors ?? 0)}</dd>
        </div>
      </dl>
      <Days report={byDay} zone={zone} />
      <div className="shared-lists">
        {(['country', 'device', 'referrer', 'source'] as const).map((dimension) => (
          <TopList key={dimension} dimension={dimension} report={figures[dimension]} />
        ))}
      </div>
      <p className="shared-note">
        Days of the time zone {zone}. Bots and pages are left out. Up to a minute old.
      </p>
    </div>
  )
}

const chart = { width: 600, height: 160 }

function Days({ report: { rows, clicks }, zone }: { report: Report; zone: string }) {
  const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: zone })
  const most = Math.max(1, ...rows.map((row) => row.clicks))
  const step = chart.width / Math.max(1, rows.length)
  return (
    <section className="shared-card" aria-label="Clicks by day">
      {/* Attributes, not styles: the page's policy allows no inline style. */}
      <svg
        className="shared-chart"
        viewBox={`0 0 ${chart.width} ${chart.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Clicks by day: ${numbers.format(clicks)} in all`}
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
        <summary>Table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Clicks</th>
            </tr>
          </thead>
          <tbody>
            {rows.toReversed().map(({ key, clicks: count }) => (
              <tr key={key}>
                <th scope="row">{day.format(new Date(key))}</th>
                <td>{numbers.format(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}

function TopList({ dimension, report }: { dimension: Dimension; report: Report }) {
  const { title, unknown } = lists[dimension]
  const most = Math.max(1, ...report.rows.map((row) => row.clicks))
  return (
    <section className="shared-card" aria-labelledby={`list-${dimension}`}>
      <h2 className="shared-name" id={`list-${dimension}`}>
        {title}
      </h2>
      {report.rows.length === 0 ? (
        <p className="shared-empty">No clicks in this time.</p>
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
              <span>{nameOf(dimension, key) || unknown}</span>
              <span className="shared-count">{numbers.format(clicks)}</span>
            </li>
          ))}
        </ol>
      )}
      {report.rest > 0 ? (
        <p className="shared-empty">{numbers.format(report.rest)} in others</p>
      ) : null}
    </section>
  )
}

function nameOf(dimension: Dimension, key: string): string {
  if (dimension === 'referrer' || key === '') return key
  if (dimension === 'country') return /^[A-Z]{2}$/.test(key) ? (countries.of(key) ?? key) : key
  return words[key] ?? key
}
