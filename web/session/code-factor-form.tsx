import type { Factor } from '@supabase/auth-js'
import { useState, type FormEvent } from 'react'
import { accessNotices } from '#domain/account-texts.ts'
import type { AuthClientType } from '#web/client.ts'
import { Button } from '#web/ui/button.tsx'
import { CodeField, codeMissing, readCode } from '#web/ui/code-field.tsx'
import { notifyError } from '#web/ui/notify.ts'
import { codeRefusal } from './code-refusal.ts'
import { focusField } from './first-issue.ts'
import { factorName } from './second-factor.ts'

interface CodeFactorFormProps {
  client: AuthClientType
  factor: Factor
  onDone: () => void
}

/** Six digits of an authenticator app, or of a message that is sent when asked for. */
export function CodeFactorForm({ client, factor, onDone }: CodeFactorFormProps) {
  const isPhone = factor.factor_type === 'phone'
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [challengeId, setChallengeId] = useState<string>()
  const isAsking = !isPhone || challengeId !== undefined

  async function send() {
    if (busy) return
    setBusy(true)
    const { data, error } = await client.mfa.challenge({ factorId: factor.id, channel: 'sms' })
    setBusy(false)
    if (error !== null) return notifyError({ ...accessNotices.mailFailed, title: error.message })
    setChallengeId(data.id)
    setCode('')
    setProblem(undefined)
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const form = event.currentTarget
    const digits = readCode(code)
    if (digits === undefined) {
      setProblem(codeMissing)
      return focusField(form, 'code')
    }
    setProblem(undefined)
    setBusy(true)
    const refused = await verify(digits)
    setBusy(false)
    if (refused === null) return onDone()
    setProblem(refused)
    focusField(form, 'code')
  }

  async function verify(digits: string): Promise<string | null> {
    const factorId = factor.id
    const { error } =
      challengeId === undefined
        ? await client.mfa.challengeAndVerify({ factorId, code: digits })
        : await client.mfa.verify({ factorId, challengeId, code: digits })
    return error === null ? null : codeRefusal(error)
  }

  if (!isAsking) {
    return (
      <div className="grid gap-5">
        <p className="text-ink-soft">We send a code to {factorName(factor)}.</p>
        <Button look="accent" busy={busy} onClick={() => void send()}>
          {busy ? 'Please wait...' : 'Send Code'}
        </Button>
      </div>
    )
  }
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-5">
      <CodeField
        label={isPhone ? 'Code from the message' : `Code from ${factorName(factor)}`}
        hint={isPhone ? 'Good for five minutes.' : 'Your app shows a new one every 30 seconds.'}
        value={code}
        onChange={setCode}
        focusWhenShown
        error={problem}
      />
      <Button type="submit" look="accent" busy={busy}>
        {busy ? 'Please wait...' : 'Continue'}
      </Button>
      {isPhone ? (
        <Button look="quiet" onClick={() => void send()}>
          Send Another Code
        </Button>
      ) : null}
    </form>
  )
}
