import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'

/** The root of a domain without an address for it. */
export function DomainRootPage({ host }: { host: string }) {
  const { domainRoot: texts } = useVisitorTexts()
  return (
    <div className="notice">
      <h1 className="notice-title">{host}</h1>
      <p className="notice-text">{texts.text()}</p>
    </div>
  )
}
