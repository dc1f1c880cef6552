import { useQueryClient } from '@tanstack/react-query'
import { accessNotices, settingsNotices } from '#domain/texts/account-texts.ts'
import { emailForm } from '#domain/forms/forms.ts'
import { routes } from '#domain/routes.ts'
import { authRefusal } from '#web/session/auth-refusal.ts'
import { auth } from '#web/api/auth-client.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { accountQuery } from '#web/session/profile-query.ts'

interface EmailFormProps {
  userId: string
  email: string
  /** An address that is still to be confirmed. */
  pending: string | undefined
}

/** Another address: at once on a server without mail, else once the links in both mailboxes were followed. */
export function EmailForm({ userId, email, pending }: EmailFormProps) {
  const client = useQueryClient()
  const form = useFormFields({
    schema: emailForm,
    initial: { email: '' },
    submit: async ({ email: address }) => {
      // web/session/sign-in-completion.ts knows by it a change that is confirmed in another browser.
      const emailRedirectTo = `${window.location.origin}${routes.settings.path}?from=email-change`
      const { data, error } = await auth.updateUser({ email: address }, { emailRedirectTo })
      if (error !== null) {
        const text = authRefusal(error)
        const notice = { ...settingsNotices.emailFailed, description: text }
        return { field: 'email', text, notice }
      }
      form.change({ email: '' })
      const isChanged = data.user.email === address.toLowerCase()
      notifySuccess(isChanged ? accessNotices.emailChanged : settingsNotices.emailSent)
      await client.invalidateQueries(accountQuery(userId))
      return undefined
    },
  })

  return (
    <form {...form.props} className="grid gap-5">
      <p className="wrap-anywhere">
        <span className="text-ink-soft">Current:</span> {email}
      </p>
      {pending === undefined ? null : (
        <p className="rounded-2xl bg-accent-wash px-4 py-3 text-sm wrap-anywhere">
          Waiting for {pending} to be confirmed. Follow the links in our emails.
        </p>
      )}
      <Field label="New email" kind="email" autoComplete="email" {...form.text('email')} />
      <div>
        <Button type="submit" busy={form.busy} disabled={form.values.email === '' && !form.busy}>
          {form.busy ? 'Please wait...' : 'Change Email'}
        </Button>
      </div>
    </form>
  )
}
