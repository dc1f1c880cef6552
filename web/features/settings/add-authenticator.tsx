import { useMutation } from '@tanstack/react-query'
import { QRCodeSVG } from 'qrcode.react'
import { useState, type FormEvent } from 'react'
import { settingsNotices } from '#domain/account-texts.ts'
import { codeRefusal } from '#web/session/code-refusal.ts'
import { focusField } from '#web/session/first-issue.ts'
import { auth } from '#web/client.ts'
import { Button } from '#web/ui/button.tsx'
import { CodeField, codeMissing, readCode } from '#web/ui/code-field.tsx'
import { DialogActions } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { notifyError } from '#web/ui/notify.ts'
import { claimFactorName } from './claim-factor-name.ts'

export interface AddFactorProps {
  onCancel: () => void
  onAdded: () => void
}

/** First a name, then the QR code and the first code of the app. */
export function AddAuthenticator({ onCancel, onAdded }: AddFactorProps) {
  const [name, setName] = useState('')
  const begin = useMutation({
    mutationFn: async () => {
      const taken = await claimFactorName(name.trim())
      if (taken !== null) throw new Error(taken)
      const { data, error } = await auth.mfa.enroll({
        factorType: 'totp',
        friendlyName: name.trim(),
        issuer: 'Hoplet',
      })
      if (error !== null) throw error
      return data
    },
    onError: (error) =>
      notifyError({ ...settingsNotices.factorFailed, description: error.message }),
  })

  if (begin.data !== undefined) {
    const { id, totp } = begin.data
    return <ScanForm factorId={id} {...totp} onCancel={onCancel} onAdded={onAdded} />
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        if (!begin.isPending) begin.mutate(undefined, { onError: () => focusField(form, 'name') })
      }}
    >
      <Field
        label="Name"
        note="optional"
        name="name"
        data-first-focus
        maxLength={100}
        hint="To tell it from others, such as: My phone"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={begin.error?.message}
      />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="accent" busy={begin.isPending}>
          {begin.isPending ? 'Please wait...' : 'Continue'}
        </Button>
      </DialogActions>
    </form>
  )
}

interface ScanFormProps extends AddFactorProps {
  factorId: string
  uri: string
  secret: string
}

function ScanForm({ factorId, uri, secret, onCancel, onAdded }: ScanFormProps) {
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const form = event.currentTarget
    const digits = readCode(code)
    if (digits === undefined) {
      setProblem(codeMissing)
      return focusField(form, 'code')
    }
    setBusy(true)
    const { error } = await auth.mfa.challengeAndVerify({ factorId, code: digits })
    setBusy(false)
    if (error === null) return onAdded()
    setProblem(codeRefusal(error))
    focusField(form, 'code')
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-5">
      <p className="leading-relaxed text-ink-soft">
        Scan this with your authenticator app, then enter the code that it shows.
      </p>
      <div className="justify-self-center rounded-2xl bg-white p-3">
        <QRCodeSVG
          value={uri}
          size={176}
          level="M"
          marginSize={2}
          title="QR code for your authenticator app"
        />
      </div>
      <p className="text-sm text-ink-soft">
        You cannot scan it? Type this key into the app:{' '}
        <span className="font-mono text-ink wrap-anywhere select-all">
          {secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}
        </span>
      </p>
      <CodeField label="Code from the app" value={code} onChange={setCode} error={problem} />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="accent" busy={busy}>
          {busy ? 'Please wait...' : 'Add'}
        </Button>
      </DialogActions>
    </form>
  )
}
