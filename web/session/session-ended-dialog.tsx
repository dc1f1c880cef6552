import { sessionEnded, sessionEndedInNewTab } from '#domain/texts/session-texts.ts'
import { routes } from '#domain/routes.ts'
import { site } from '#web/site.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialogs/dialog.tsx'
import { PasswordForm } from './password-form.tsx'
import { signOut, useSession } from './session.ts'
import { useSilentReturn } from './providers/use-silent-return.ts'

/**
 * Over the screen of a session that has ended elsewhere. Signing in as the same person, here or in another tab, goes on where
 * the screen was; the screen behind cannot be read meanwhile.
 */
export function SessionEndedDialog() {
  const session = useSession()
  const mustAsk = useSilentReturn()
  const hasEnded = session.status === 'signed-in' && session.hasEnded && mustAsk
  return (
    <Dialog
      open={hasEnded}
      mustAnswer
      onClose={() => {}}
      title={sessionEnded.title}
      description={site.hasPasswords ? sessionEnded.description : sessionEndedInNewTab}
    >
      {!hasEnded ? null : site.hasPasswords ? (
        <WithPassword personId={session.personId} email={session.email} />
      ) : (
        <DialogActions>
          <Button onClick={signOut}>Sign Out</Button>
          <a
            href={routes.auth.path}
            target="_blank"
            rel="noopener"
            data-first-focus
            className={buttonClass('accent')}
          >
            Sign In
          </a>
        </DialogActions>
      )}
    </Dialog>
  )
}

function WithPassword({ personId, email }: { personId: string; email: string }) {
  return (
    <>
      <PasswordForm
        personId={personId}
        email={email}
        action="Sign In"
        otherAction={<Button onClick={signOut}>Sign Out</Button>}
        onSignedIn={() => {}}
      />
      <p className="mt-5 border-t border-line pt-4 text-sm text-ink-soft">
        No password?{' '}
        <a
          href={routes.auth.path}
          target="_blank"
          rel="noopener"
          className="font-medium text-accent-text underline underline-offset-4"
        >
          Sign in another way in a new tab
        </a>
        , then come back here.
      </p>
    </>
  )
}
