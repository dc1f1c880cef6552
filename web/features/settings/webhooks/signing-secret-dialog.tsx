import { SecretDialog } from '../secret-dialog.tsx'

interface SigningSecretDialogProps {
  /** Shown while there is one. */
  secret: { text: string; isRotated: boolean } | undefined
  onClose: () => void
}

export function SigningSecretDialog({ secret, onClose }: SigningSecretDialogProps) {
  return (
    <SecretDialog
      title="Signing secret"
      description={
        secret?.isRotated === true
          ? 'Give it to the receiver within 24 hours: until then the old secret signs as well. It is not shown again.'
          : 'The receiver needs it to verify what comes from us. It is not shown again.'
      }
      label="Secret"
      secret={secret?.text}
      onClose={onClose}
    />
  )
}
