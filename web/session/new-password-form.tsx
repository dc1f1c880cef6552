import { useState, type FormEvent } from 'react'
import { accessNotices } from '#domain/account-texts.ts'
import { newPasswordForm } from '#domain/forms.ts'
import { auth } from '#web/client.ts'
import { Button } from '#web/ui/button.tsx'
import { CodeField } from '#web/ui/code-field.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { PasswordField } from '#web/ui/password-field.tsx'
import { codeRefusal } from './code-refusal.ts'
import { firstIssue, focusField } from './first-issue.ts'

interface NewPasswordFormProps {
  /** For password managers, which keep the password under it. */
  email: string
  onDone: () => void
}

/** Sets a password. When the sign-in is long ago, the server wants a code of an email as well: then it is asked for. */
export function NewPasswordForm({ email, onDone }: NewPasswordFormProps) {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [codeProblem, setCodeProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const element = event.currentTarget
    const form = newPasswordForm.safeParse({ password })
    if (!form.success) {
      const { notice } = firstIssue(form.error)
      setProblem(notice.description)
      focusField(element, 'password')
      return notifyError(notice)
    }
    setProblem(undefined)
    setCodeProblem(undefined)
    setBusy(true)
    await change(element).finally(() => setBusy(false))
  }

  async function change(element: HTMLFormElement): Promise<void> {
    const nonce = code?.replaceAll(' ', '') ?? ''
    const { error } = await auth.updateUser({ password, ...(nonce === '' ? {} : { nonce }) })
    if (error === null) {
      setPassword('')
      setCode(undefined)
      notifySuccess(accessNotices.passwordChanged)
      return onDone()
    }
    if (error.code === 'reauthentication_needed') return sendCode()
    const why = codeRefusal(error)
    notifyError({ ...accessNotices.passwordFailed, description: why })
    if (error.code === 'reauthentication_not_valid') {
      setCodeProblem(why)
      return focusField(element, 'code')
    }
    // A code that was right is used up all the same.
    if (error.code === 'same_password') setCode(undefined)
    setProblem(why)
    focusField(element, 'password')
  }

  async function sendCode(): Promise<void> {
    const { error } = await auth.reauthenticate()
    if (error !== null)
      return notifyError({ ...accessNotices.mailFailed, description: error.message })
    setCode('')
    notifySuccess(accessNotices.mailSent)
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-5">
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <PasswordField
        label="New password"
        autoComplete="new-password"
        hint="At least 6 characters."
        value={password}
        onChange={setPassword}
        error={problem}
      />
      {code === undefined ? null : (
        <CodeField
          label="Code from the email"
          hint="Your sign-in is a while ago, so we have sent a code to your email address."
          value={code}
          onChange={setCode}
          focusWhenShown
          error={codeProblem}
        />
      )}
      <div className="flex flex-wrap gap-2.5">
        <Button type="submit" look="accent" busy={busy}>
          {busy ? 'Please wait...' : 'Change Password'}
        </Button>
        {code === undefined ? null : (
          <Button look="quiet" onClick={() => void sendCode()}>
            Send Another Code
          </Button>
        )}
      </div>
    </form>
  )
}
