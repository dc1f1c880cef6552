import { useEffect, useEffectEvent } from 'react'
import { routes } from '#domain/routes.ts'
import { signInAgainTexts as texts } from '#domain/texts/admin-texts.ts'
import { site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialogs/dialog.tsx'
import { PasswordForm } from './password-form.tsx'
import { ProviderButtons } from './providers/provider-buttons.tsx'
import { useSession } from './session.ts'
import { whenSignedInAgain } from './sign-in-again.ts'

interface SignInAgainDialogProps {
  open: boolean
  onSignedIn: () => void
  onClose: () => void
}

/** For calls that need a recent sign-in. */
export function SignInAgainDialog({ open, onSignedIn, onClose }: SignInAgainDialogProps) {
  const session = useSession()
  return (
    <Dialog open={open} onClose={onClose} title={texts.title} description={texts.description}>
      {session.status !== 'signed-in' ? null : !site.hasPasswords ? (
        <ProviderForm userId={session.userId} onSignedIn={onSignedIn} onClose={onClose} />
      ) : (
        <PasswordForm
          userId={session.userId}
          email={session.email}
          action="Sign In and Confirm"
          otherAction={<Button onClick={onClose}>Cancel</Button>}
          onSignedIn={onSignedIn}
        />
      )}
    </Dialog>
  )
}

interface ProviderFormProps extends Pick<SignInAgainDialogProps, 'onSignedIn' | 'onClose'> {
  userId: string
}

/** Signs in at the provider in a new tab: this screen waits for the new session and then goes on. */
function ProviderForm({ userId, onSignedIn, onClose }: ProviderFormProps) {
  const goOn = useEffectEvent(onSignedIn)
  useEffect(() => whenSignedInAgain(userId, goOn), [userId])
  return (
    <>
      <p className="mb-5 text-sm text-ink-soft">{texts.inNewTab}</p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <ProviderButtons
          inNewTab
          redirectTo={`${window.location.origin}${routes.auth.href({ from: 'provider' })}`}
          queryParams={{ prompt: 'login' }}
        />
      </DialogActions>
    </>
  )
}
