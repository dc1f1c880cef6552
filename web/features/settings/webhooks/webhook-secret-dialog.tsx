import { Check, Copy } from 'lucide-react'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { useCopy } from '#web/ui/use-copy.ts'

interface WebhookSecretDialogProps {
  /** Shown while there is one. */
  secret: { text: string; isRotated: boolean } | undefined
  onClose: () => void
}

/** The only time that a secret is shown. */
export function WebhookSecretDialog({ secret, onClose }: WebhookSecretDialogProps) {
  const { copied, copy } = useCopy()
  return (
    <Dialog
      open={secret !== undefined}
      onClose={onClose}
      mustAnswer
      title="Signing secret"
      description={
        secret?.isRotated === true
          ? 'Give it to the receiver within 24 hours: until then the old secret signs as well. It is not shown again.'
          : 'The receiver needs it to verify what comes from us. It is not shown again.'
      }
    >
      <Field
        label="Secret"
        readOnly
        value={secret?.text ?? ''}
        onFocus={(event) => event.target.select()}
        className="font-mono"
      />
      <DialogActions>
        <Button data-first-focus onClick={() => void copy(secret?.text ?? '')}>
          {copied ? <Check size={17} aria-hidden /> : <Copy size={17} aria-hidden />}
          {copied ? 'Copied' : 'Copy'}
        </Button>
        <Button look="accent" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
