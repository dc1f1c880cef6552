import type { Session } from '@supabase/auth-js'
import { useState, type ReactNode } from 'react'
import { accessNotices, forgotAnswer, loggedMail, noMail } from '#domain/texts/account-texts.ts'
import { emailForm } from '#domain/forms/forms.ts'
import { authRefusal } from '#web/session/auth-refusal.ts'
import { useMailWay } from '#web/session/sign-in-options.ts'
import { useAuthForm } from '#web/session/use-auth-form.ts'
import { type AddressProps, AuthForm } from './auth-form.tsx'
import { AuthFrame } from './auth-frame.tsx'
import { MailedCodeForm } from './mailed-code-form.tsx'

interface MailedLinkProps extends AddressProps {
  /** Title of the browser's tab. */
  title: string
  heading: string
  intro: string
  type: 'email' | 'recovery'
  /** Asks the server for the email. */
  ask: (
    email: string,
    options: { captchaToken?: string },
  ) => Promise<{ error: { code?: string | undefined; message: string } | null }>
  onSignedIn: (session: Session) => void
  /** The way back to the sign-in. */
  back: ReactNode
}

/** Asks for the address that an email with a link and a code goes to, then for the code. The answer is the same for every address. */
export function MailedLink(props: MailedLinkProps) {
  const [sentTo, setSentTo] = useState<string>()
  const mailWay = useMailWay()
  if (mailWay === 'none') return <NoMail {...props} />
  const sent =
    mailWay === 'log' ? loggedMail : { heading: 'Look into your mailbox', text: forgotAnswer }
  return (
    <AuthFrame
      title={props.title}
      heading={sentTo === undefined ? props.heading : sent.heading}
      intro={sentTo === undefined ? props.intro : sent.text}
    >
      {sentTo === undefined ? (
        <AddressForm {...props} onSent={setSentTo} />
      ) : (
        <MailedCodeForm
          email={sentTo}
          type={props.type}
          onResend={async () => {
            // The captcha is in the first form.
            setSentTo(undefined)
            return undefined
          }}
          onSignedIn={props.onSignedIn}
        />
      )}
      <p className="mt-8 border-t border-line pt-6">{props.back}</p>
    </AuthFrame>
  )
}

/** By an old address of this screen: the sign-in does not lead here. */
function NoMail({ title, heading, back }: MailedLinkProps) {
  return (
    <AuthFrame title={title} heading={heading} intro={noMail}>
      <p className="mt-8 border-t border-line pt-6">{back}</p>
    </AuthFrame>
  )
}

function AddressForm({
  email,
  onEmailChange,
  ask,
  onSent,
}: MailedLinkProps & { onSent: (email: string) => void }) {
  const form = useAuthForm({
    schema: emailForm,
    values: { email },
    submit: async ({ email: to }, options) => {
      const { error } = await ask(to, options)
      if (error === null) return onSent(to)
      const notice = { ...accessNotices.mailFailed, description: authRefusal(error) }
      return { field: 'email', notice }
    },
  })
  return <AuthForm {...{ form, email, onEmailChange }} action="Send Link" />
}
