import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { notices } from '#domain/texts/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialogs/dialog.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { TextAreaField } from '#web/ui/fields/text-area-field.tsx'
import { useCopy } from '#web/ui/hooks/use-copy.ts'

interface SecretDialogProps {
  title: string
  description: string
  label: string
  /** Shown while there is one. */
  secret: string | undefined
  /** A command line that tries the secret. */
  example?: string | undefined
  onClose: () => void
}

/** The only time that a secret is shown. */
export function SecretDialog(props: SecretDialogProps) {
  const { title, description, label, secret, example, onClose } = props
  const { copied, copy } = useCopy()
  const [saved, setSaved] = useState<string>()
  const isSaved = secret !== undefined && saved === secret
  return (
    <Dialog
      open={secret !== undefined}
      onClose={onClose}
      mustAnswer
      title={title}
      description={description}
    >
      <TextAreaField
        label={label}
        readOnly
        // As many as a phone needs.
        rows={Math.max(2, Math.ceil((secret ?? '').length / 28))}
        value={secret ?? ''}
        onFocus={(event) => event.target.select()}
        className="min-h-0! resize-none! font-mono break-all"
      />
      {example === undefined ? null : <Example text={example} />}
      <DialogActions>
        <Button
          data-first-focus
          look={isSaved ? 'plain' : 'accent'}
          onClick={() =>
            void copy(secret ?? '').then((isDone) =>
              isDone ? setSaved(secret) : notifyError(notices.copyFailed),
            )
          }
        >
          {copied ? <Check size={17} aria-hidden /> : <Copy size={17} aria-hidden />}
          {copied ? 'Copied' : 'Copy'}
        </Button>
        <Button
          look={isSaved ? 'accent' : 'plain'}
          onClick={onClose}
          className="max-sm:order-first"
        >
          {isSaved ? 'Done' : 'I have saved it'}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Example({ text }: { text: string }) {
  const { copied, copy } = useCopy()
  return (
    <div className="mt-5 grid gap-2">
      <TextAreaField
        label="Try it"
        readOnly
        value={text}
        onFocus={(event) => event.target.select()}
        className="min-h-0! resize-none! font-mono text-xs break-all"
      />
      <Button
        size="small"
        look="quiet"
        className="justify-self-start"
        onClick={() =>
          void copy(text).then((isDone) => {
            if (!isDone) notifyError(notices.copyFailed)
          })
        }
      >
        {copied ? <Check size={17} aria-hidden /> : <Copy size={17} aria-hidden />}
        {copied ? 'Copied' : 'Copy the command'}
      </Button>
    </div>
  )
}
