import { useState, type FormEvent } from 'react'
import { accessNotices } from '#domain/account-texts.ts'
import { emailForm } from '#domain/forms.ts'
import { useCaptcha } from '#web/session/captcha.tsx'
import { firstIssue, focusField } from '#web/session/first-issue.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { notifyError } from '#web/ui/notify.ts'

interface AskForMailFormProps {
  email: string
  onEmailChange: (email: string) => void
  action: string
  /** Answers why no email was sent, or null. */
  ask: (email: string, options: { captchaToken?: string }) => Promise<string | null>
  onSent: (email: string) => void
}

/** Asks for an address that an email shall go to. */
export function AskForMailForm({ email, onEmailChange, action, ask, onSent }: AskForMailFormProps) {
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const captcha = useCaptcha()

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const element = event.currentTarget
    const form = emailForm.safeParse({ email })
    if (!form.success) {
      const { notice } = firstIssue(form.error)
      setProblem(notice.description)
      focusField(element, 'email')
      return notifyError(notice)
    }
    const options = captcha.take()
    if (options === undefined) return
    setProblem(undefined)
    setBusy(true)
    const refused = await ask(form.data.email, options).finally(() => setBusy(false))
    if (refused === null) return onSent(form.data.email)
    focusField(element, 'email')
    notifyError({ ...accessNotices.mailFailed, description: refused })
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-5">
      <Field
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        value={email}
        onChange={(event) => onEmailChange(event.target.value)}
        error={problem}
      />
      {captcha.widget}
      <Button type="submit" look="accent" busy={busy} className="mt-1 w-full">
        {busy ? 'Please wait...' : action}
      </Button>
    </form>
  )
}
