import { useEffect, useEffectEvent } from 'react'
import { routes } from '#domain/routes.ts'
import { signInAgainTexts as texts } from '#domain/texts/admin-texts.ts'
import { Button } from '#web/ui/button.tsx'
import { DialogActions } from '#web/ui/dialogs/dialog.tsx'
import { whenSignedInAgain } from '../sign-in-again.ts'
import { ProviderButtons } from './provider-buttons.tsx'

interface ProviderSignInProps {
  personId: string
  onSignedIn: () => void
  onClose: () => void
}

/** Signs in again at the provider, in a new tab: this screen keeps its input, and goes on with the new session. */
export function ProviderSignIn({ personId, onSignedIn, onClose }: ProviderSignInProps) {
  const goOn = useEffectEvent(onSignedIn)
  useEffect(() => whenSignedInAgain(personId, goOn), [personId])
  return (
    <div>
      <p className="mb-5 text-sm text-ink-soft">{texts.inNewTab}</p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <ProviderButtons
          inNewTab
          isMain
          redirectTo={`${window.location.origin}${routes.auth.href({ from: 'provider' })}`}
          queryParams={{ prompt: 'login' }}
        />
      </DialogActions>
    </div>
  )
}
