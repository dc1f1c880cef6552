import './link-pages.css'
import { routes } from '#domain/routes.ts'
import { useAppHref } from '#public-pages/frame/app-address.ts'
import { hostOf } from './host-of.ts'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'
import { ownersText } from '#public-pages/owners-text.ts'

/** A link that has not started (404) or is over (410). */
export function LinkClosedPage({ isOver }: { isOver: boolean }) {
  const { closed: texts, site } = useVisitorTexts()
  const home = useAppHref(routes.home.href())
  return (
    <div className="notice">
      <svg viewBox="0 0 240 96" className="notice-figure" aria-hidden="true">
        <path d="M40 62C58 2 182 2 200 62" className="notice-arc notice-arc-lost" />
        <circle cx={isOver ? 200 : 40} cy="82" r="9" className="notice-dot" />
        <circle cx={isOver ? 40 : 200} cy="82" r="8" className="notice-hole" />
      </svg>
      <p className="notice-code">{isOver ? '410' : '404'}</p>
      <h1 className="notice-title">{isOver ? texts.endedHeading() : texts.earlyHeading()}</h1>
      <p className="notice-text">{isOver ? texts.endedText() : texts.earlyText()}</p>
      <a className="notice-action" href={home}>
        {site.returnHome()}
      </a>
    </div>
  )
}

interface LinkPreviewPageProps {
  /** Host and code. */
  address: string
  /** Path of the link. */
  path: string
  title: string | undefined
  /** Undefined: it depends on the visitor. */
  destination: string | undefined
}

/** `/{code}+`: where a link leads, before one follows it. */
export function LinkPreviewPage({ address, path, title, destination }: LinkPreviewPageProps) {
  const { preview: texts } = useVisitorTexts()
  return (
    <div className="notice">
      <p className="notice-code">{address}</p>
      <h1 className="notice-title" {...ownersText}>
        {title ?? (destination === undefined ? texts.untitled() : hostOf(destination))}
      </h1>
      <dl className="link-facts">
        <dt>{texts.destination()}</dt>
        <dd>{destination ?? texts.dependsOnVisitor()}</dd>
      </dl>
      <a className="notice-action" href={path} rel="nofollow">
        {texts.open()}
      </a>
    </div>
  )
}

interface LinkPasswordPageProps {
  /** Where the form is sent: the address of the visit. */
  action: string
  subject: 'link' | 'report'
  /** Title by the owner. */
  title?: string | undefined
  /** A password that does not open; `wait`: seconds before the next one, after too many. */
  refusal: { status: number; wait?: number } | undefined
}

/** Asks for the password of a link. It works without a script. */
export function LinkPasswordPage({ action, subject, title, refusal }: LinkPasswordPageProps) {
  const { password: texts } = useVisitorTexts()
  const heading = subject === 'link' ? texts.linkHeading() : texts.reportHeading()
  return (
    <div className="notice">
      <h1 className="notice-title" {...(title !== undefined && ownersText)}>
        {title ?? heading}
      </h1>
      <p className="notice-text">{texts.text()}</p>
      <form className="link-password" method="post" action={action}>
        <label className="link-password-label" htmlFor="password">
          {texts.label()}
        </label>
        <input
          className="link-password-input"
          id="password"
          name="password"
          type="password"
          autoComplete="off"
          required
          {...(refusal !== undefined && {
            'aria-invalid': true,
            'aria-describedby': 'password-problem',
          })}
        />
        {refusal === undefined ? null : (
          <p className="link-password-problem" id="password-problem" role="alert">
            {refusal.wait === undefined ? texts.wrong() : texts.tooMany({ count: refusal.wait })}
          </p>
        )}
        <button className="notice-action" type="submit">
          {texts.continue()}
        </button>
      </form>
    </div>
  )
}

/** For link previewers: the texts are in the head of the page. */
export function LinkPreviewerPage({ title, path }: { title: string; path: string }) {
  const { preview: texts } = useVisitorTexts()
  return (
    <div className="notice">
      <h1 className="notice-title" {...ownersText}>
        {title}
      </h1>
      <a className="notice-action" href={path} rel="nofollow">
        {texts.open()}
      </a>
    </div>
  )
}
