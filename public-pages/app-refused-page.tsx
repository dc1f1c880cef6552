import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'

/** Shown when an app sent an invalid authorization request, so that redirecting back to the app is not safe. */
export function AppRefusedPage({ why }: { why: string }) {
  const { appRefused: texts } = useVisitorTexts()
  return (
    <div className="notice">
      <svg viewBox="0 0 130 96" className="notice-figure" aria-hidden="true">
        <path d="M20 62C34 4 96 4 110 62" className="notice-arc" />
        <circle cx="20" cy="82" r="9" className="notice-hopper" />
        <circle cx="110" cy="82" r="9" className="notice-hole" />
      </svg>
      <h1 className="notice-title">{texts.heading()}</h1>
      <p className="notice-text">{texts.text({ why })}</p>
      <a className="notice-action" href="/">
        {texts.goHome()}
      </a>
    </div>
  )
}
