import { useState, type ReactNode } from 'react'
import type { AuthClientType } from '#web/api/auth-client.ts'
import { passwordForm } from '#domain/forms/forms.ts'
import { Button } from '#web/ui/button.tsx'
import { DialogActions } from '#web/ui/dialogs/dialog.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import type { FormRefusal } from '#web/forms/use-form.ts'
import { SecondFactorForm } from './second-factor-form.tsx'
import { signInAgain, takeOver } from './sign-in-again.ts'
import { useAuthForm } from './use-auth-form.ts'

interface PasswordFormProps {
  personId: string
  email: string
  action: string
  /** Stands beside the button that signs in. */
  otherAction: ReactNode
  onSignedIn: () => void
}

/** Signs the same person in again: the password, without leaving the screen, then the second factor if there is one. */
export function PasswordForm(props: PasswordFormProps) {
  const { personId, email, action, otherAction, onSignedIn } = props
  const [password, setPassword] = useState('')
  const [halfway, setHalfway] = useState<AuthClientType>()
  const form = useAuthForm({
    schema: passwordForm,
    values: { password },
    submit: async (_, options): Promise<FormRefusal | void> => {
      const outcome = await signInAgain(email, password, options)
      if (outcome.kind === 'done') return onSignedIn()
      if (outcome.kind === 'second-factor') return setHalfway(outcome.client)
      return { field: 'password', text: outcome.why }
    },
    issueNotice: null,
  })

  async function finish(client: AuthClientType) {
    const refused = await takeOver(client)
    if (refused === null) return onSignedIn()
    setHalfway(undefined)
    form.refuse({ field: 'password', text: refused })
  }

  if (halfway !== undefined) {
    return (
      <SecondFactorForm client={halfway} userId={personId} onDone={() => void finish(halfway)} />
    )
  }
  return (
    <form {...form.props} className="grid gap-5">
      <Field label="Email" type="email" autoComplete="username" value={email} readOnly />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        data-first-focus
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={form.errorOf('password')}
      />
      {form.captcha}
      <DialogActions>
        {otherAction}
        <Button type="submit" look="accent" busy={form.busy}>
          {form.busy ? 'Please wait...' : action}
        </Button>
      </DialogActions>
    </form>
  )
}
