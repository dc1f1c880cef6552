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
import type { AddFactorProps } from './add-authenticator.tsx'
import { claimFactorName } from './claim-factor-name.ts'

/** First the number, then the code that was sent to it. */
export function AddPhone({ onCancel, onAdded }: AddFactorProps) {
  const [phone, setPhone] = useState('')
  const [code, setCode] = useState('')
  const [sent, setSent] = useState<{ factorId: string; challengeId: string }>()
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const form = event.currentTarget
    setProblem(undefined)
    setBusy(true)
    const refused = await (sent === undefined ? send() : verify(sent)).finally(() => setBusy(false))
    if (refused === null) return
    setProblem(refused)
    focusField(form, sent === undefined ? 'phone' : 'code')
  }

  async function send(): Promise<string | null> {
    const friendlyName = phone.trim()
    const taken = await claimFactorName(friendlyName)
    if (taken !== null) return taken
    const begun = await auth.mfa.enroll({ factorType: 'phone', phone, friendlyName })
    if (begun.error !== null) return begun.error.message
    const factorId = begun.data.id
    const { data, error } = await auth.mfa.challenge({ factorId, channel: 'sms' })
    if (error !== null) return error.message
    setSent({ factorId, challengeId: data.id })
    return null
  }

  async function verify(to: { factorId: string; challengeId: string }): Promise<string | null> {
    const digits = readCode(code)
    if (digits === undefined) return codeMissing
    const { error } = await auth.mfa.verify({ ...to, code: digits })
    if (error !== null) {
      const why = codeRefusal(error)
      notifyError({ ...settingsNotices.factorFailed, description: why })
      return why
    }
    onAdded()
    return null
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      {sent === undefined ? (
        <Field
          label="Phone number"
          name="phone"
          type="tel"
          autoComplete="tel"
          data-first-focus
          hint="With the country, such as: +49 170 1234567"
          value={phone}
          onChange={(event) => setPhone(event.target.value)}
          error={problem}
        />
      ) : (
        <CodeField
          label="Code from the message"
          value={code}
          onChange={setCode}
          focusWhenShown
          error={problem}
        />
      )}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="accent" busy={busy}>
          {busy ? 'Please wait...' : sent === undefined ? 'Send Code' : 'Add'}
        </Button>
      </DialogActions>
    </form>
  )
}
