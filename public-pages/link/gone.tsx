import { routes } from '#domain/routes.ts'
import { useAppHref } from '#public-pages/frame/app-address.ts'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'

/** Shown for a link that was blocked, or has a destination that fails the checks (status 410). */
export function GonePage() {
  const { gone: texts, site } = useVisitorTexts()
  const home = useAppHref(routes.home.href())
  return (
    <div className="notice">
      <svg viewBox="0 0 240 96" className="notice-figure" aria-hidden="true">
        <path d="M40 62C58 2 182 2 200 62" className="notice-arc notice-arc-lost" />
        <circle cx="40" cy="82" r="9" className="notice-dot" />
        <circle cx="200" cy="82" r="8" className="notice-hole" />
      </svg>
      <p className="notice-code">410</p>
      <h1 className="notice-title">{texts.heading()}</h1>
      <p className="notice-text">{texts.text()}</p>
      <a className="notice-action" href={home}>
        {site.returnHome()}
      </a>
    </div>
  )
}
