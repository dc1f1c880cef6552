interface Titles {
  title: string
  text: string
  action: string
}

const titles: Record<string, Titles> = {
  signup: {
    title: 'Confirm your email address',
    text: 'Click to activate your account.',
    action: 'Confirm email address',
  },
  invite: {
    title: 'Welcome to Hoplet',
    text: 'You are invited. One more press opens your account.',
    action: 'Accept the invitation',
  },
  magiclink: {
    title: 'Sign in to Hoplet',
    text: 'Click to finish signing in.',
    action: 'Sign in',
  },
  recovery: {
    title: 'Reset your password',
    text: 'One more press, then choose a new password.',
    action: 'Reset password',
  },
  email_change: {
    title: 'Change your email address',
    text: 'Press the button to agree to the change.',
    action: 'Agree to the change',
  },
}

const other: Titles = {
  title: 'Is it you?',
  text: 'Press the button to go on.',
  action: 'Go on',
}

/** The texts of the page that an emailed link opens, by the link's type. */
export function mailedLinkTitles(type: string): Titles {
  return (Object.hasOwn(titles, type) ? titles[type] : undefined) ?? other
}

interface MailedLinkPageProps {
  secret: string
  type: string
  redirectTo: string
}

/** The page that an emailed link opens. Nothing happens until the button is pressed, so mail scanners cannot use the link up. */
export function MailedLinkPage({ secret, type, redirectTo }: MailedLinkPageProps) {
  const { title, text, action } = mailedLinkTitles(type)
  return (
    <div className="notice">
      <Hop />
      <h1 className="notice-title">{title}</h1>
      <p className="notice-text">{text}</p>
      <form method="post" action="/auth/v1/verify">
        <input type="hidden" name="token" value={secret} />
        <input type="hidden" name="type" value={type} />
        <input type="hidden" name="redirect_to" value={redirectTo} />
        <button type="submit" className="notice-action">
          {action}
        </button>
      </form>
    </div>
  )
}

/** Shown for an emailed link that is used, expired or invalid. */
export function DeadLinkPage({ goOn, why }: { goOn: string; why: string | undefined }) {
  return (
    <div className="notice">
      <Hop isDead />
      <h1 className="notice-title">This link has expired or was already used</h1>
      <p className="notice-text">
        {why ?? 'It was used already, or it is too old. Please ask for a new one.'}
      </p>
      <a className="notice-action" href={goOn}>
        Go on to the site
      </a>
    </div>
  )
}

/** Shown when a link was opened at a bad moment. @param again its address, unless a form led here */
export function TryAgainPage({ why, again }: { why: string; again: string | undefined }) {
  return (
    <div className="notice">
      <Hop isDead />
      <h1 className="notice-title">{tryAgainTitle}</h1>
      <p className="notice-text">
        {why}. Nothing is lost: wait a moment{again === undefined ? ', then go back.' : '.'}
      </p>
      {again === undefined ? null : (
        <a className="notice-action" href={again}>
          Try again
        </a>
      )}
    </div>
  )
}

export const tryAgainTitle = 'Please try again'

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
