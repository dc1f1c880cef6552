import type { Session } from '@supabase/auth-js'
import { accessNotices } from '#domain/texts/account-texts.ts'
import { sixDigitForm } from '#domain/forms/forms.ts'
import { auth } from '#web/api/auth-client.ts'
import { Button } from '#web/ui/button.tsx'
import { CodeField } from '#web/ui/fields/code-field.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'

interface MailedCodeFormProps {
  email: string
  type: 'signup' | 'email' | 'recovery'
  /** Asks for the email once more; answers why that did not work, or null. Undefined: there is nothing to say. */
  onResend: () => Promise<string | null | undefined>
  /** The person is signed in now, perhaps without their second factor. */
  onSignedIn: (session: Session) => void
}

/** For those who read the email on another device: its code, typed here, does the same as its link. */
export function MailedCodeForm({ email, type, onResend, onSignedIn }: MailedCodeFormProps) {
  const form = useFormFields({
    schema: sixDigitForm,
    initial: { code: '' },
    submit: async ({ code: token }) => {
      const { data, error } = await auth.verifyOtp({ email, token, type })
      if (error === null && data.session !== null) return onSignedIn(data.session)
      return { field: 'code', text: error?.message ?? accessNotices.codeRefused.title }
    },
    issueNotice: null,
  })
  const resend = useAction(async () => {
    const refused = await onResend()
    if (refused === undefined) return
    if (refused === null) notifySuccess(accessNotices.mailSent)
    else notifyError({ ...accessNotices.mailFailed, description: refused })
  })

  return (
    <form {...form.props} className="grid gap-5">
      <CodeField
        label="Emailed code"
        hint="For when you read your mail on another device."
        {...form.field('code')}
      />
      <Button type="submit" look="accent" busy={form.busy} className="w-full">
        {form.busy ? 'Please wait...' : 'Continue'}
      </Button>
      <Button busy={resend.busy} onClick={() => resend.run()} className="w-full">
        {resend.busy ? 'Sending...' : 'Send the Email Again'}
      </Button>
    </form>
  )
}
