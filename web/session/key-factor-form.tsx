import type { Factor } from '@supabase/auth-js'
import { accessNotices } from '#domain/texts/account-texts.ts'
import type { AuthClientType } from '#web/api/auth-client.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { canUseKeys, factorName } from './second-factor.ts'

interface KeyFactorFormProps {
  client: AuthClientType
  factor: Factor
  onDone: () => void
}

export function KeyFactorForm({ client, factor, onDone }: KeyFactorFormProps) {
  const { busy, run: authenticate } = useAction(async () => {
    const { error } = await client.mfa.webauthn.authenticate({ factorId: factor.id })
    if (error === null) return onDone()
    notifyError({ ...accessNotices.keyFailed, description: error.message })
  })

  if (!canUseKeys()) {
    return (
      <p className="text-ink-soft">
        This browser cannot use {factorName(factor)} here. Security keys need a site that is reached
        by its name.
      </p>
    )
  }
  return (
    <div className="grid gap-5">
      <p className="text-ink-soft">
        Have {factorName(factor)} at hand: your browser will ask you to touch it.
      </p>
      <Button look="accent" busy={busy} onClick={() => authenticate()}>
        {busy ? 'Waiting for the key...' : 'Use Security Key'}
      </Button>
    </div>
  )
}
