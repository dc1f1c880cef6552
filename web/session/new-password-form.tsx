import { useState } from 'react'
import { accessNotices, passwordHint } from '#domain/texts/account-texts.ts'
import { newPasswordForm } from '#domain/forms/forms.ts'
import { auth } from '#web/api/auth-client.ts'
import { Button } from '#web/ui/button.tsx'
import { CodeField } from '#web/ui/fields/code-field.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { PasswordField } from '#web/ui/fields/password-field.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { useForm } from '#web/forms/use-form.ts'
import { authRefusal } from './auth-refusal.ts'

interface NewPasswordFormProps {
  /** For password managers, which keep the password under it. */
  email: string
  onDone: () => void
}

/** Sets a password. After a while the server asks for the code of an email as well. */
export function NewPasswordForm({ email, onDone }: NewPasswordFormProps) {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string>()
  const sending = useAction(sendCode)

  const form = useForm({
    schema: newPasswordForm,
    values: { password, code },
    submit: async () => {
      const nonce = code?.replaceAll(' ', '') ?? ''
      const { error } = await auth.updateUser({ password, ...(nonce === '' ? {} : { nonce }) })
      if (error === null) {
        setPassword('')
        setCode(undefined)
        notifySuccess(accessNotices.passwordChanged)
        return onDone()
      }
      if (error.code === 'reauthentication_needed') return sendCode()
      const text = authRefusal(error)
      const notice = { ...accessNotices.passwordFailed, description: text }
      if (error.code === 'reauthentication_not_valid') return { field: 'code', text, notice }
      // A code that was right is used up all the same.
      if (error.code === 'same_password') setCode(undefined)
      return { field: 'password', text, notice }
    },
  })

  async function sendCode(): Promise<void> {
    const { error } = await auth.reauthenticate()
    if (error !== null)
      return notifyError({ ...accessNotices.mailFailed, description: authRefusal(error) })
    setCode('')
    notifySuccess(accessNotices.mailSent)
  }

  return (
    <form {...form.props} className="grid gap-5">
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <PasswordField
        label="New password"
        autoComplete="new-password"
        hint={passwordHint}
        value={password}
        onChange={setPassword}
        error={form.errorOf('password')}
      />
      {code === undefined ? null : (
        <CodeField
          label="Emailed code"
          hint="For your security, enter the code from our email."
          value={code}
          onChange={setCode}
          focusWhenShown
          error={form.errorOf('code')}
        />
      )}
      <div className="flex flex-wrap gap-2.5">
        <Button
          type="submit"
          look="accent"
          busy={form.busy}
          disabled={password === '' && !form.busy}
        >
          {form.busy ? 'Please wait...' : 'Change Password'}
        </Button>
        {code === undefined ? null : (
          <Button look="quiet" busy={sending.busy} onClick={() => sending.run()}>
            Send Another Code
          </Button>
        )}
      </div>
    </form>
  )
}
