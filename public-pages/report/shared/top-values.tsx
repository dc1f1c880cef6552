import { use } from 'react'
import { formatNumber } from '#domain/texts/catalog.ts'
import { useVisitorTexts, VisitorLanguage } from '#public-pages/frame/visitor-language.ts'
import { type ReportDimension, type ReportFigures, reportValue } from './report-view.ts'

interface TopValuesProps {
  dimension: ReportDimension
  report: ReportFigures
}

/** The values of a dimension with most clicks. */
export function TopValues({ dimension, report }: TopValuesProps) {
  const { sharedReport: texts } = useVisitorTexts()
  const language = use(VisitorLanguage)
  const most = Math.max(1, ...report.rows.map((row) => row.clicks))
  return (
    <section className="shared-card" aria-labelledby={`list-${dimension}`}>
      <h2 className="shared-heading" id={`list-${dimension}`}>
        {texts[dimension]()}
      </h2>
      {report.rows.length === 0 ? (
        <p className="shared-empty">{texts.none()}</p>
      ) : (
        <ol className="shared-rows">
          {report.rows.map(({ key, clicks }) => (
            <li key={key}>
              <svg
                className="shared-behind"
                viewBox="0 0 100 1"
                preserveAspectRatio="none"
                aria-hidden="true"
              >
                <rect width={(clicks / most) * 100} height="1" />
              </svg>
              <span>{reportValue(dimension, key, language)}</span>
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
