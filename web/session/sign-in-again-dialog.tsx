import { useState, type FormEvent } from 'react'
import { signInAgain as texts } from '#domain/texts.ts'
import { useCaptcha } from './captcha.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'
import { useSession } from './session.ts'
import { signInAgain, takeOver } from './sign-in-again.ts'
import type { AuthClientType } from '#web/client.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'

interface SignInAgainDialogProps {
  open: boolean
  onSignedIn: () => void
  onClose: () => void
}

export function SignInAgainDialog({ open, onSignedIn, onClose }: SignInAgainDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={texts.title} description={texts.description}>
      <PasswordForm onSignedIn={onSignedIn} onCancel={onClose} />
    </Dialog>
  )
}

function PasswordForm({ onSignedIn, onCancel }: { onSignedIn: () => void; onCancel: () => void }) {
  const session = useSession()
  const email = session.status === 'signed-in' ? session.email : ''
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [halfway, setHalfway] = useState<AuthClientType>()
  const captcha = useCaptcha()

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const options = captcha.take()
    if (options === undefined) return
    const field = event.currentTarget.elements.namedItem('password')
    setBusy(true)
    const outcome = await signInAgain(email, password, options).finally(() => setBusy(false))
    if (outcome.kind === 'done') return onSignedIn()
    if (outcome.kind === 'second-factor') return setHalfway(outcome.client)
    setProblem(outcome.why)
    if (field instanceof HTMLElement) field.focus()
  }

  async function finish(client: AuthClientType) {
    const refused = await takeOver(client)
    if (refused === null) return onSignedIn()
    setHalfway(undefined)
    setProblem(refused)
  }

  if (halfway !== undefined && session.status === 'signed-in') {
    return (
      <SecondFactorForm
        client={halfway}
        userId={session.userId}
        onDone={() => void finish(halfway)}
      />
    )
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-5">
      <Field label="Email" type="email" autoComplete="username" value={email} readOnly />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        data-first-focus
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={problem}
      />
      {captcha.widget}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="accent" busy={busy}>
          {busy ? 'Please wait...' : 'Sign In and Confirm'}
        </Button>
      </DialogActions>
    </form>
  )
}
