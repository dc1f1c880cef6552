import type { VisitorTexts } from '#domain/texts/catalogs.generated.ts'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'

/** The texts of the page that an emailed link opens, by the link's type. */
export function mailedLinkTexts(type: string, texts: VisitorTexts): VisitorTexts['signup'] {
  switch (type) {
    case 'signup':
    case 'invite':
    case 'magiclink':
    case 'recovery':
      return texts[type]
    case 'email_change':
      return texts.emailChange
    default:
      return texts.otherMailedLink
  }
}

interface MailedLinkPageProps {
  secret: string
  type: string
  redirectTo: string
}

/** The page that an emailed link opens. Nothing happens until the button is pressed, so mail scanners cannot use the link up. */
export function MailedLinkPage({ secret, type, redirectTo }: MailedLinkPageProps) {
  const { title, text, action } = mailedLinkTexts(type, useVisitorTexts())
  return (
    <div className="notice">
      <Hop />
      <h1 className="notice-title">{title()}</h1>
      <p className="notice-text">{text()}</p>
      <form method="post" action="/auth/v1/verify">
        <input type="hidden" name="token" value={secret} />
        <input type="hidden" name="type" value={type} />
        <input type="hidden" name="redirect_to" value={redirectTo} />
        <button type="submit" className="notice-action">
          {action()}
        </button>
      </form>
    </div>
  )
}

/** Shown for an emailed link that is used, expired or invalid. */
export function DeadLinkPage({ goOn, why }: { goOn: string; why: string | undefined }) {
  const { deadLink: texts } = useVisitorTexts()
  return (
    <div className="notice">
      <Hop isDead />
      <h1 className="notice-title">{texts.heading()}</h1>
      <p className="notice-text">{why ?? texts.text()}</p>
      <a className="notice-action" href={goOn}>
        {texts.goOn()}
      </a>
    </div>
  )
}

/** Shown when a link was opened at a bad moment. @param again its address, unless a form led here */
export function TryAgainPage({ why, again }: { why: string; again: string | undefined }) {
  const { tryAgain: texts } = useVisitorTexts()
  return (
    <div className="notice">
      <Hop isDead />
      <h1 className="notice-title">{texts.heading()}</h1>
      <p className="notice-text">
        {again === undefined ? texts.goBack({ why }) : texts.wait({ why })}
      </p>
      {again === undefined ? null : (
        <a className="notice-action" href={again}>
          {texts.again()}
        </a>
      )}
    </div>
  )
}

/** The mark of the product: an arc from one dot to the next, which a dead link does not reach. */
function Hop({ isDead = false }: { isDead?: boolean }) {
  return (
    <svg viewBox="0 0 130 96" className="notice-figure" aria-hidden="true">
      <path
        d="M20 62C34 4 96 4 110 62"
        className={isDead ? 'notice-arc notice-arc-lost' : 'notice-arc'}
      />
      <circle cx="20" cy="82" r="9" className="notice-hopper" />
      <circle cx="110" cy="82" r="9" className={isDead ? 'notice-hole' : 'notice-dot'} />
    </svg>
  )
}
