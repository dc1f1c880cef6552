export interface AudiencePageProps {
  title: string
  text: string
  /** A button that sends a form to this address. */
  button?: { action: string; label: string }
  way?: { href: string; label: string } | undefined
}

/** A page about an email address that a visitor gave in a popup: thanks, confirmation, unsubscription. */
export function AudiencePage({ title, text, button, way }: AudiencePageProps) {
  return (
    <div className="notice">
      <h1 className="notice-title">{title}</h1>
      <p className="notice-text">{text}</p>
      {button === undefined ? null : (
        <form method="post" action={button.action}>
          <button type="submit" className="notice-action">
            {button.label}
          </button>
        </form>
      )}
      {way === undefined ? null : (
        <a className="notice-action" href={way.href}>
          {way.label}
        </a>
      )}
    </div>
  )
}
