import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { deleteAccountWarning, settingsNotices } from '#domain/account-texts.ts'
import { routes } from '#domain/routes.ts'
import { focusField } from '#web/session/first-issue.ts'
import { signOut } from '#web/session/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { PasswordField } from '#web/ui/password-field.tsx'
import { callAuthDoor, RefusedError } from '#web/session/auth-door.ts'
import { accountQuery } from './profile-query.ts'
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

const signInAgainFirst =
  'Your sign-in is a while ago. Please sign out and in again, then come back.'

function DeleteForm({ userId, email, onCancel }: TabProps & { onCancel: () => void }) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const [password, setPassword] = useState<string>()
  const [problem, setProblem] = useState<{ field: string; text: string }>()
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const form = event.currentTarget
    if (typed.trim().toLowerCase() !== email.toLowerCase()) {
      setProblem({ field: 'confirmation', text: `Type ${email} to confirm` })
      return focusField(form, 'confirmation')
    }
    setProblem(undefined)
    setBusy(true)
    try {
      await erase(password ?? '')
    } catch (error) {
      await refused(form, error)
    } finally {
      setBusy(false)
    }
  }

  async function erase(given: string): Promise<void> {
    await callAuthDoor('/user', {
      method: 'DELETE',
      ...(given !== '' && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ password: given }),
      }),
    })
    await signOut()
    notifySuccess(settingsNotices.deleted)
    await navigate({ to: routes.home.path })
  }

  /** Who only comes in by a provider has no password to say. */
  async function askForProof(): Promise<void> {
    const account = await client.fetchQuery(accountQuery(userId)).catch(() => undefined)
    if (account?.identities?.some(({ provider }) => provider === 'email') !== false)
      return setPassword('')
    setProblem({ field: 'confirmation', text: signInAgainFirst })
    notifyError({ ...settingsNotices.deleteFailed, description: signInAgainFirst })
  }

  async function refused(form: HTMLFormElement, error: unknown): Promise<void> {
    if (!(error instanceof RefusedError)) return notifyError(settingsNotices.deleteFailed)
    if (error.code === 'reauthentication_needed' && password === undefined) return askForProof()
    if (password !== undefined) {
      setProblem({ field: 'password', text: error.message })
      focusField(form, 'password')
    }
    notifyError({ ...settingsNotices.deleteFailed, description: error.message })
  }

  const errorOf = (field: string) => (problem?.field === field ? problem.text : undefined)
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-5">
      <Field
        label="Your email"
        name="confirmation"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-first-focus
        hint={<span className="wrap-anywhere">Type {email} to confirm.</span>}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        error={errorOf('confirmation')}
      />
      {password === undefined ? null : (
        <PasswordField
          autoComplete="current-password"
          hint="Your sign-in is a while ago."
          value={password}
          onChange={setPassword}
          error={errorOf('password')}
        />
      )}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="danger" busy={busy}>
          {busy ? 'Deleting...' : 'Delete Account'}
        </Button>
      </DialogActions>
    </form>
  )
}
