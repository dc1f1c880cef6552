import { routes } from '#domain/routes.ts'
import { useAppHref } from '#public-pages/frame/app-address.ts'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'

/** The content of `/404`, on the server's page and in the web app. */
export function NotFoundPage() {
  const { notFound: texts, site } = useVisitorTexts()
  const home = useAppHref(routes.home.href())
  return (
    <div className="notice">
      <svg viewBox="0 0 240 96" className="notice-figure" aria-hidden="true">
        <path d="M20 62C34 4 96 4 110 62" className="notice-arc" />
        <path d="M110 62C119 30 150 26 166 50" className="notice-arc notice-arc-lost" />
        <circle cx="20" cy="82" r="9" className="notice-dot" />
        <circle cx="110" cy="82" r="9" className="notice-dot" />
        <circle cx="206" cy="82" r="8" className="notice-hole" />
        <circle cx="178" cy="68" r="9" className="notice-hopper" />
      </svg>
      <p className="notice-code">404</p>
      <h1 className="notice-title">{texts.heading()}</h1>
      <p className="notice-text">{texts.text()}</p>
      <a className="notice-action" href={home}>
        {site.returnHome()}
      </a>
    </div>
  )
}
