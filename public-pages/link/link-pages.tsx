import './link-pages.css'
import { routes } from '#domain/routes.ts'
import { hostOf } from './host-of.ts'
import { ownersText } from '#public-pages/owners-text.ts'

/** A link that has not started (404) or is over (410). */
export function LinkClosedPage({ isOver }: { isOver: boolean }) {
  return (
    <div className="notice">
      <svg viewBox="0 0 240 96" className="notice-figure" aria-hidden="true">
        <path d="M40 62C58 2 182 2 200 62" className="notice-arc notice-arc-lost" />
        <circle cx={isOver ? 200 : 40} cy="82" r="9" className="notice-dot" />
        <circle cx={isOver ? 40 : 200} cy="82" r="8" className="notice-hole" />
      </svg>
      <p className="notice-code">{isOver ? '410' : '404'}</p>
      <h1 className="notice-title">
        {isOver ? 'This link has ended' : 'This link has not started'}
      </h1>
      <p className="notice-text">
        {isOver ? 'Its owner gave it an end, which is over.' : 'Please come back later.'}
      </p>
      <a className="notice-action" href={routes.home.href()}>
        Return to Home
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
  return (
    <div className="notice">
      <p className="notice-code">{address}</p>
      <h1 className="notice-title" {...ownersText}>
        {title ?? (destination === undefined ? 'A short link' : hostOf(destination))}
      </h1>
      <dl className="link-facts">
        <dt>Destination</dt>
        <dd>{destination ?? 'Depends on the visitor'}</dd>
      </dl>
      <a className="notice-action" href={path} rel="nofollow">
        Open the link
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
  problem: string | undefined
}

/** Asks for the password of a link. It works without a script. */
export function LinkPasswordPage({ action, subject, title, problem }: LinkPasswordPageProps) {
  return (
    <div className="notice">
      <h1 className="notice-title" {...(title !== undefined && ownersText)}>
        {title ?? `This ${subject} has a password`}
      </h1>
      <p className="notice-text">Enter the password to continue.</p>
      <form className="link-password" method="post" action={action}>
        <label className="link-password-label" htmlFor="password">
          Password
        </label>
        <input
          className="link-password-input"
          id="password"
          name="password"
          type="password"
          autoComplete="off"
          required
          {...(problem !== undefined && {
            'aria-invalid': true,
            'aria-describedby': 'password-problem',
          })}
        />
        {problem === undefined ? null : (
          <p className="link-password-problem" id="password-problem" role="alert">
            {problem}
          </p>
        )}
        <button className="notice-action" type="submit">
          Continue
        </button>
      </form>
    </div>
  )
}

/** For link previewers: the texts are in the head of the page. */
export function LinkPreviewerPage({ title, path }: { title: string; path: string }) {
  return (
    <div className="notice">
      <h1 className="notice-title" {...ownersText}>
        {title}
      </h1>
      <a className="notice-action" href={path} rel="nofollow">
        Open the link
      </a>
    </div>
  )
}
