import { routes } from '#domain/routes.ts'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'

/** Shown at the address of a report that is off or over, and at one that was never there (status 404). */
export function ClosedReportPage() {
  const { sharedReport: texts, site } = useVisitorTexts()
  return (
    <div className="notice">
      <svg viewBox="0 0 240 96" className="notice-figure" aria-hidden="true">
        <path d="M40 62C58 2 182 2 200 62" className="notice-arc notice-arc-lost" />
        <circle cx="40" cy="82" r="9" className="notice-dot" />
        <circle cx="200" cy="82" r="8" className="notice-hole" />
      </svg>
      <p className="notice-code">404</p>
      <h1 className="notice-title">{texts.closed()}</h1>
      <p className="notice-text">{texts.closedText()}</p>
      <a className="notice-action" href={routes.home.href()}>
        {site.returnHome()}
      </a>
    </div>
  )
}
