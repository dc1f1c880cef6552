import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { AddAuthenticator } from './add-authenticator.tsx'
import { AddKey } from './add-key.tsx'
import { AddPhone } from './add-phone.tsx'

export type FactorKind = 'totp' | 'webauthn' | 'phone'

interface FactorDialogProps {
  kind: FactorKind | undefined
  onClose: () => void
  onAdded: () => void
}

const titles = {
  totp: 'Add an authenticator app',
  webauthn: 'Add a security key',
  phone: 'Add a phone',
} as const

const forms = { totp: AddAuthenticator, webauthn: AddKey, phone: AddPhone }

/** Sets up one more second factor. An unfinished one counts for nothing, and is gone in five minutes. */
export function FactorDialog({ kind, onClose, onAdded }: FactorDialogProps) {
  return (
    <Dialog open={kind !== undefined} onClose={onClose} title={titles[kind ?? 'totp']}>
      {kind === undefined ? null : <AddForm {...{ kind, onClose, onAdded }} />}
    </Dialog>
  )
}

function AddForm({ kind, onClose, onAdded }: FactorDialogProps & { kind: FactorKind }) {
  const close = useWhileShown(onClose)
  const Form = forms[kind]
  return (
    <Form
      onCancel={onClose}
      onAdded={() => {
        close()
        onAdded()
      }}
    />
  )
}
