import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteAccountWarning, settingsNotices } from '#domain/texts/account-texts.ts'
import { deleteAccountForm } from '#domain/forms/forms.ts'
import { routes } from '#domain/routes.ts'
import { site } from '#web/site.ts'
import { ProviderSignIn } from '#web/session/providers/provider-sign-in.tsx'
import { signOut } from '#web/session/session.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { PasswordField } from '#web/ui/fields/password-field.tsx'
import { callAuthDoor, AuthDoorError } from '#web/session/auth-door.ts'
import { useForm, type FormRefusal } from '#web/forms/use-form.ts'
import { accountQuery } from '#web/session/profile-query.ts'
import type { TabProps } from './settings-section.tsx'

interface DeleteAccountDialogProps extends TabProps {
  open: boolean
  onClose: () => void
}

/** Deleting one's account: the address is typed to be sure, and the password when the sign-in is a while ago. */
export function DeleteAccountDialog({ open, onClose, ...person }: DeleteAccountDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Delete your account?"
      description={deleteAccountWarning}
    >
      <DeleteForm {...person} onCancel={onClose} />
    </Dialog>
  )
}

const signInAgainFirst = 'For your security, sign out and in again, then come back.'

function DeleteForm({ userId, email, onCancel }: TabProps & { onCancel: () => void }) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const [password, setPassword] = useState<string>()
  const [mustSignIn, setMustSignIn] = useState(false)
  const form = useForm({
    schema: deleteAccountForm(email),
    values: { confirmation: typed, password },
    submit: async () => {
      try {
        await eraseAccount(password ?? '')
      } catch (error) {
        return refusalOf(error)
      }
      signOut()
      notifySuccess(settingsNotices.deleted)
      await navigate({ to: routes.home.path })
      return undefined
    },
  })

  async function refusalOf(error: unknown): Promise<FormRefusal | undefined> {
    if (!(error instanceof AuthDoorError)) return { notice: settingsNotices.deleteFailed }
    if (error.code === 'reauthentication_needed' && !site.hasPasswords) {
      setMustSignIn(true)
      return undefined
    }
    if (error.code === 'reauthentication_needed' && password === undefined) return askForProof()
    const notice = { ...settingsNotices.deleteFailed, description: error.message }
    return password === undefined ? { notice } : { field: 'password', text: error.message, notice }
  }

  /** A person who signs in by a provider only has no password to enter. */
  async function askForProof(): Promise<FormRefusal | undefined> {
    const account = await client.fetchQuery(accountQuery(userId)).catch(() => undefined)
    const hasPassword = account?.identities?.some(({ provider }) => provider === 'email') !== false
    if (hasPassword) {
      setPassword('')
      return undefined
    }
    const notice = { ...settingsNotices.deleteFailed, description: signInAgainFirst }
    return { field: 'confirmation', text: signInAgainFirst, notice }
  }

  return (
    <form {...form.props} className="grid gap-5">
      <Field
        label="Your email"
        name="confirmation"
        kind="verbatim"
        data-first-focus
        hint={<span className="wrap-anywhere">Type {email} to confirm.</span>}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        error={form.errorOf('confirmation')}
      />
      {password === undefined ? null : (
        <PasswordField
          autoComplete="current-password"
          hint="For your security, sign in again."
          value={password}
          onChange={setPassword}
          error={form.errorOf('password')}
        />
      )}
      {mustSignIn ? (
        <ProviderSignIn
          personId={userId}
          onSignedIn={() => {
            setMustSignIn(false)
            form.submit()
          }}
          onClose={onCancel}
        />
      ) : (
        <FormActions
          action="Delete Account"
          busyAction="Deleting..."
          busy={form.busy}
          look="danger"
          onCancel={onCancel}
        />
      )}
    </form>
  )
}

async function eraseAccount(password: string): Promise<void> {
  await callAuthDoor('/user', {
    method: 'DELETE',
    ...(password !== '' && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password }),
    }),
  })
}
