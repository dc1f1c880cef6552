import { use } from 'react'
import { formatNumber } from '#domain/texts/catalog.ts'
import { textLanguages } from '#domain/texts/languages.ts'
import { useVisitorTexts, VisitorLanguage } from '#public-pages/frame/visitor-language.ts'
import { dayLabels, highestOf } from './chart-axis.ts'
import type { ReportFigures } from './report-view.ts'

const height = 150
/** Room for the numbers at the left, in pixels, is in the sheet; for the days below, here. */
const labelHeight = 28

interface DayChartProps {
  report: ReportFigures
  zone: string
}

/** Clicks by day with both axes, and the same as a table. Attributes, not styles: the page's policy allows no inline style. */
export function DayChart({ report: { rows, clicks }, zone }: DayChartProps) {
  const { sharedReport: texts } = useVisitorTexts()
  const language = use(VisitorLanguage)
  const { locale } = textLanguages[language]
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: zone })
  const short = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: zone })
  const highest = highestOf(rows)
  const step = 100 / Math.max(1, rows.length)
  return (
    <>
      <div className="shared-plot">
        <p className="shared-scale" aria-hidden="true">
          {[highest, highest / 2, 0].map((count) => (
            <span key={count}>{formatNumber(count, language)}</span>
          ))}
        </p>
        <svg
          className="shared-chart"
          height={height + labelHeight}
          role="img"
          aria-label={texts.byDayInAll({ count: clicks })}
        >
          {[0.5, height / 2, height - 0.5].map((y) => (
            <line key={y} x1="0" x2="100%" y1={y} y2={y} />
          ))}
          {rows.map(({ key, clicks: count }, index) => {
            const tall = count === 0 ? 0 : Math.max(3, (count / highest) * height)
            return (
              <rect
                key={key}
                x={`${(index * step + step * 0.1).toFixed(3)}%`}
                y={(height - tall).toFixed(1)}
                width={`${(step * 0.8).toFixed(3)}%`}
                height={tall.toFixed(1)}
                rx="2"
                className={index === rows.length - 1 ? 'shared-last' : undefined}
              />
            )
          })}
          {dayLabels(rows.length).map(({ index, anchor }) => (
            <text
              key={index}
              x={`${anchorPlace(index, anchor, step).toFixed(3)}%`}
              y={height + 20}
              textAnchor={anchor}
            >
              {short.format(new Date(rows[index]?.key ?? 0))}
            </text>
          ))}
        </svg>
      </div>
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
    </>
  )
}

function anchorPlace(index: number, anchor: 'start' | 'middle' | 'end', step: number): number {
  if (anchor === 'start') return 0
  return anchor === 'end' ? 100 : (index + 0.5) * step
}
