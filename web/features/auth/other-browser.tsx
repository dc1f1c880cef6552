import { Link } from '@tanstack/react-router'
import { otherBrowser } from '#domain/texts/account-texts.ts'
import { routes } from '#domain/routes.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { AuthFrame } from './auth-frame.tsx'

/**
 * A mailed link was opened in another browser than the one that asked for it, such as the phone's. It is not used up
 * (docs/decisions/0063-a-link-waits-for-its-browser.md).
 *
 * @param again where one asks for a link to use in this browser
 */
export function OtherBrowser({ again }: { again: 'sign-in' | 'recovery' }) {
  return (
    <AuthFrame title={otherBrowser.title} heading={otherBrowser.title} intro={otherBrowser.intro}>
      <ul className="grid list-disc gap-2 pl-5 marker:text-ink-faint">
        {otherBrowser.ways.map((way) => (
          <li key={way}>{way}</li>
        ))}
      </ul>
      <p className="mt-8 border-t border-line pt-6 text-sm text-ink-soft">
        Would you rather go on in this browser?
      </p>
      {again === 'sign-in' ? (
        <Link to={routes.auth.path} className={`${buttonClass('plain')} mt-4 w-full`}>
          Sign In Here
        </Link>
      ) : (
        <Link to={routes.forgotPassword.path} className={`${buttonClass('plain')} mt-4 w-full`}>
          Ask for a New Link
        </Link>
      )}
    </AuthFrame>
  )
}
