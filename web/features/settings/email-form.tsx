import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { accessNotices, settingsNotices } from '#domain/account-texts.ts'
import { emailForm } from '#domain/forms.ts'
import { routes } from '#domain/routes.ts'
import { firstIssue, focusField } from '#web/session/first-issue.ts'
import { auth } from '#web/client.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { accountQuery } from './profile-query.ts'

interface EmailFormProps {
  userId: string
  email: string
  /** An address that is still to be confirmed. */
  pending: string | undefined
}

/** Another address: at once on a server without mail, else once the links in both mailboxes were followed. */
export function EmailForm({ userId, email, pending }: EmailFormProps) {
  const client = useQueryClient()
  const [wanted, setWanted] = useState('')
  const [problem, setProblem] = useState<string>()
  const change = useMutation({
    mutationFn: async (address: string) => {
      const emailRedirectTo = `${window.location.origin}${routes.settings.path}`
      const { data, error } = await auth.updateUser({ email: address }, { emailRedirectTo })
      if (error !== null) throw error
      return data.user
    },
    onSuccess: async (user, address) => {
      setWanted('')
      notifySuccess(
        user.email === address.toLowerCase()
          ? accessNotices.emailChanged
          : settingsNotices.emailSent,
      )
      await client.invalidateQueries(accountQuery(userId))
    },
    onError: (error) => notifyError({ ...settingsNotices.emailFailed, description: error.message }),
  })

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (change.isPending) return
    const form = emailForm.safeParse({ email: wanted })
    if (form.success) {
      setProblem(undefined)
      return change.mutate(form.data.email)
    }
    const { notice } = firstIssue(form.error)
    setProblem(notice.description)
    focusField(event.currentTarget, 'email')
    notifyError(notice)
  }

  return (
    <form noValidate onSubmit={submit} className="grid gap-5">
      <p className="wrap-anywhere">
        <span className="text-ink-soft">Now:</span> {email}
      </p>
      {pending === undefined ? null : (
        <p className="rounded-2xl bg-accent-wash px-4 py-3 text-[15px] wrap-anywhere">
          Waiting for {pending} to be confirmed. Follow the links in the emails that we have sent.
        </p>
      )}
      <Field
        label="New email"
        name="email"
        type="email"
        autoComplete="email"
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
        error={problem}
      />
      <div>
        <Button type="submit" busy={change.isPending}>
          {change.isPending ? 'Please wait...' : 'Change Email'}
        </Button>
      </div>
    </form>
  )
}
