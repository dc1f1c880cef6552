import type { ReactNode } from 'react'
import { routes } from '#domain/routes.ts'

/** Around every play-money page, so that no one takes it for a real checkout. */
export function SandboxFrame({ children }: { children: ReactNode }) {
  return (
    <div className="sandbox">
      <p className="sandbox-banner">
        <strong>Sandbox</strong> No real money moves
      </p>
      {children}
    </div>
  )
}

/** Result or error, at the top of a page. */
export function PageMessage({ text, bad = false }: { text: string | undefined; bad?: boolean }) {
  if (text === undefined) return null
  return (
    <p className={bad ? 'sandbox-message sandbox-message-bad' : 'sandbox-message'} role="alert">
      {text}
    </p>
  )
}

/** Shown at the address of a page that has ended or never existed. */
export function SandboxClosedPage() {
  return (
    <SandboxFrame>
      <section className="sandbox-card">
        <h1 className="sandbox-title">This page is closed</h1>
        <p className="sandbox-text">
          It was paid, has expired or never existed. Open it again from Hoplet.
        </p>
        <a className="sandbox-button" href={routes.upgrade.href()}>
          Return to Hoplet
        </a>
      </section>
    </SandboxFrame>
  )
}

/** Shown while the database is unavailable. */
export function SandboxAwayPage({ url }: { url: string }) {
  return (
    <SandboxFrame>
      <section className="sandbox-card">
        <h1 className="sandbox-title">Please try again in a moment</h1>
        <p className="sandbox-text">
          The server&apos;s database does not answer right now. Nothing is charged twice.
        </p>
        <a className="sandbox-button" href={url}>
          Try again
        </a>
      </section>
    </SandboxFrame>
  )
}
