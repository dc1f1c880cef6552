import type { ReactNode } from 'react'
import type { useAuthForm } from '#web/session/use-auth-form.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/fields/field.tsx'

/** The address outlives the form: people go from one way in to another. */
export interface AddressProps {
  email: string
  onEmailChange: (email: string) => void
}

interface AuthFormProps extends AddressProps {
  form: Omit<ReturnType<typeof useAuthForm>, 'submit'>
  action: string
  /** Between the address and the button. */
  children?: ReactNode
}

/** A way in: the address, what else it needs, a captcha if the server wants one, and its button. */
export function AuthForm({ form, email, onEmailChange, action, children }: AuthFormProps) {
  return (
    <form {...form.props} className="grid gap-5">
      <Field
        label="Email"
        name="email"
        kind="email"
        autoComplete="username"
        value={email}
        onChange={(event) => onEmailChange(event.target.value)}
        error={form.errorOf('email')}
      />
      {children}
      {form.captcha}
      <Button type="submit" look="accent" busy={form.busy} className="mt-1 w-full">
        {form.busy ? 'Please wait...' : action}
      </Button>
    </form>
  )
}
