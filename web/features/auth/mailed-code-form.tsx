import type { Session } from '@supabase/auth-js'
import { useState, type FormEvent } from 'react'
import { accessNotices } from '#domain/account-texts.ts'
import { focusField } from '#web/session/first-issue.ts'
import { auth } from '#web/client.ts'
import { Button } from '#web/ui/button.tsx'
import { CodeField, codeMissing, readCode } from '#web/ui/code-field.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'

interface MailedCodeFormProps {
  email: string
  type: 'signup' | 'email' | 'recovery'
  /** Asks for the email once more; answers why that did not work, or null. */
  onResend: () => Promise<string | null | undefined>
  /** Somebody is signed in now, perhaps without the second factor that they have. */
  onSignedIn: (session: Session) => void
}

/** For whoever reads the email on another device: the code of it, typed here, does the same as its link. */
export function MailedCodeForm({ email, type, onResend, onSignedIn }: MailedCodeFormProps) {
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [resending, setResending] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const form = event.currentTarget
    const token = readCode(code)
    if (token === undefined) {
      setProblem(codeMissing)
      return focusField(form, 'code')
    }
    setProblem(undefined)
    setBusy(true)
    const { data, error } = await auth.verifyOtp({ email, token, type })
    setBusy(false)
    if (error === null && data.session !== null) return onSignedIn(data.session)
    setProblem(error?.message ?? accessNotices.codeRefused.title)
    focusField(form, 'code')
  }

  async function resend() {
    if (resending) return
    setResending(true)
    const refused = await onResend().finally(() => setResending(false))
    if (refused === undefined) return
    if (refused === null) return notifySuccess(accessNotices.mailSent)
    notifyError({ ...accessNotices.mailFailed, description: refused })
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-5">
      <CodeField
        label="Code from the email"
        hint="For when you read your mail on another device."
        value={code}
        onChange={setCode}
        error={problem}
      />
      <Button type="submit" look="accent" busy={busy} className="w-full">
        {busy ? 'Please wait...' : 'Continue'}
      </Button>
      <Button busy={resending} onClick={() => void resend()} className="w-full">
        {resending ? 'Sending...' : 'Send the Email Again'}
      </Button>
    </form>
  )
}
