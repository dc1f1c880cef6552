import { Check, Copy } from 'lucide-react'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { useCopy } from '#web/ui/use-copy.ts'

interface SecretDialogProps {
  title: string
  description: string
  label: string
  /** Shown while there is one. */
  secret: string | undefined
  onClose: () => void
}

/** The only time that a secret is shown. */
export function SecretDialog({ title, description, label, secret, onClose }: SecretDialogProps) {
  const { copied, copy } = useCopy()
  return (
    <Dialog
      open={secret !== undefined}
      onClose={onClose}
      mustAnswer
      title={title}
      description={description}
    >
      <Field
        label={label}
        readOnly
        value={secret ?? ''}
        onFocus={(event) => event.target.select()}
        className="font-mono"
      />
      <DialogActions>
        <Button data-first-focus onClick={() => void copy(secret ?? '')}>
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
