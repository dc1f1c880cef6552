import { use } from 'react'
import { formatNumber } from '#domain/texts/catalog.ts'
import { useVisitorTexts, VisitorLanguage } from '#public-pages/frame/visitor-language.ts'
import { Bar, ComparedLinkName } from './compared-links.tsx'
import type { SharedReportView } from './report-view.ts'

/** The variants of each A/B test. */
export function ReportSplits({ view: { host, figures } }: { view: SharedReportView }) {
  const { sharedReport: texts } = useVisitorTexts()
  const language = use(VisitorLanguage)
  return (
    <section className="shared-card shared-links" aria-labelledby="splits">
      <h2 className="shared-heading" id="splits">
        {texts.splits()}
      </h2>
      {figures.splits.map(({ code, title, rule_id: rule, variants, best }) => {
        const most = Math.max(1, ...variants.map(({ clicks }) => clicks))
        return (
          <table key={`${code} ${rule}`}>
            <caption>
              <ComparedLinkName host={host} code={code} title={title} />
            </caption>
            <thead>
              <tr>
                <th scope="col">{texts.variantColumn()}</th>
                <th scope="col">{texts.clicks()}</th>
                <th scope="col">{texts.visitors()}</th>
              </tr>
            </thead>
            <tbody>
              {variants.map(({ variant_id: name, clicks, visitors }) => (
                <tr key={name}>
                  <th scope="row">
                    {texts.variant({ name })}
                    {name === best ? <span className="shared-better">{texts.better()}</span> : null}
                  </th>
                  <td>
                    <span className="shared-clicks">
                      <b>{formatNumber(clicks, language)}</b>
                      <Bar part={clicks / most} />
                    </span>
                  </td>
                  <td>{formatNumber(visitors, language)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )
      })}
    </section>
  )
}
