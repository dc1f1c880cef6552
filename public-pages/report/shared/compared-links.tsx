import { use } from 'react'
import { hopShape } from '#domain/links/hop-print.ts'
import { formatNumber } from '#domain/texts/catalog.ts'
import { useVisitorTexts, VisitorLanguage } from '#public-pages/frame/visitor-language.ts'
import { ownersText } from '#public-pages/owners-text.ts'
import { linksNote, type SharedReportView, shownAddress } from './report-view.ts'

/** The links with a tag beside each other, those with most clicks first. */
export function ComparedLinks({ view }: { view: SharedReportView }) {
  const { sharedReport: texts } = useVisitorTexts()
  const language = use(VisitorLanguage)
  const { compared } = view.figures
  const most = Math.max(1, ...compared.map(({ clicks }) => clicks))
  const note = linksNote(view, language)
  if (compared.length === 0) return <p className="shared-card shared-empty">{texts.noLinks()}</p>
  return (
    <section className="shared-card shared-links" aria-label={texts.links()}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.link()}</th>
            <th scope="col">{texts.clicks()}</th>
            <th scope="col">{texts.scansColumn()}</th>
          </tr>
        </thead>
        <tbody>
          {compared.map(({ code, title, clicks, scans }) => (
            <tr key={code}>
              <th scope="row">
                <span className="shared-link">
                  <HopPrint code={code} />
                  <ComparedLinkName host={view.host} code={code} title={title} />
                </span>
              </th>
              <td>
                <span className="shared-clicks">
                  <b>{formatNumber(clicks, language)}</b>
                  <Bar part={clicks / most} />
                </span>
              </td>
              <td>{formatNumber(scans, language)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {note === undefined ? null : <p className="shared-empty">{note}</p>}
    </section>
  )
}

interface LinkNameProps {
  host: string
  code: string
  title: string | null
}

/** The title of a link, and its address below; the address alone without one. */
export function ComparedLinkName({ host: own, code, title }: LinkNameProps) {
  const [host, name] = shownAddress(own, code)
  return (
    <span className="shared-name">
      {title === null ? null : <span {...ownersText}>{title}</span>}
      <span className="shared-address">
        {host}/<wbr />
        {name}
      </span>
    </span>
  )
}

/** A part of the whole as a bar, in attributes. */
export function Bar({ part }: { part: number }) {
  return (
    <svg className="shared-bar" height="10" aria-hidden="true">
      <rect width="100%" height="10" rx="5" className="shared-track" />
      {part === 0 ? null : <rect width={`${(part * 100).toFixed(2)}%`} height="10" rx="5" />}
    </svg>
  )
}

function HopPrint({ code }: { code: string }) {
  const { width, height, arcs, landings, goal } = hopShape(code)
  return (
    <svg
      className="shared-print"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      aria-hidden="true"
    >
      <path d={arcs} />
      {landings.map(({ x, y }) => (
        <circle key={x} cx={x} cy={y} r="2" />
      ))}
      <circle cx={goal.x} cy={goal.y} r="3" className="shared-goal" />
    </svg>
  )
}
