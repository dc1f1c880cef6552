import './made-with.css'
import { routes } from '#domain/routes.ts'
import { useAppHref } from '#public-pages/frame/app-address.ts'
import { useVisitorTexts } from './visitor-language.ts'

/** The mark on pages and popups of owners on the free plan; paid plans have none. */
export function MadeWith() {
  const { site } = useVisitorTexts()
  const home = useAppHref(routes.home.href())
  return (
    <a className="hp-made" href={home} target="_blank" rel="noopener noreferrer">
      <svg viewBox="0 0 32 32" className="hp-made-mark" aria-hidden="true">
        <path d="M6 23C7.5 2.5 21.5 -0.5 25.2 15.4" />
        <circle cx="6" cy="25" r="4" />
        <circle cx="26" cy="25" r="4" />
      </svg>
      {site.madeWith()}
    </a>
  )
}
