import { signInAgainTexts as texts } from '#domain/texts/admin-texts.ts'
import { site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { PasswordForm } from './password-form.tsx'
import { ProviderSignIn } from './providers/provider-sign-in.tsx'
import { useSession } from './session.ts'

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
        <ProviderSignIn personId={session.personId} onSignedIn={onSignedIn} onClose={onClose} />
      ) : (
        <PasswordForm
          personId={session.personId}
          email={session.email}
          action="Sign In and Confirm"
          otherAction={<Button onClick={onClose}>Cancel</Button>}
          onSignedIn={onSignedIn}
        />
      )}
    </Dialog>
  )
}
