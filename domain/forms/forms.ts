import * as z from 'zod/mini'
import { readEmailAddress } from './email-address.ts'
import { fieldMessages } from '#domain/texts/texts.ts'

/** A typed address, which becomes its stored form. */
const email = z.pipe(
  z.string(),
  z.transform((typed: string, { issues }) => {
    const address = readEmailAddress(typed)
    if (address !== undefined) return address
    issues.push({ code: 'custom', message: fieldMessages.email, input: typed })
    return z.NEVER
  }),
)
const password = z.string().check(z.minLength(6, fieldMessages.password))

/** Sign-in: the screen shows the first issue as 'Validation Error'. */
export const signInForm = z.object({ email, password })

/** Asks for an existing password, of any length. */
export const passwordForm = z.object({
  password: z.string().check(z.minLength(1, fieldMessages.passwordMissing)),
})

/** Six digits from an email, a message or an authenticator app; blanks between them do no harm. */
export const sixDigitForm = z.object({
  code: z.pipe(
    z.string(),
    z.pipe(
      z.transform((typed: string) => typed.replaceAll(' ', '')),
      z.string().check(z.regex(/^\d{6}$/, fieldMessages.code)),
    ),
  ),
})

/** A form that asks for an address only: forgotten password, sign-in link, another address. */
export const emailForm = z.object({ email })

export const newPasswordForm = z.object({ password })

const factorName = z.string().check(z.trim(), z.maxLength(100, fieldMessages.factorName))

/** The name of a second factor; blank means none. */
export const factorNameForm = z.object({ name: factorName })

/** A security key is told from the others by its name only. */
export const keyNameForm = z.object({
  name: factorName.check(z.minLength(1, fieldMessages.keyName)),
})

export const phoneForm = z.object({
  phone: z.string().check(z.trim(), z.minLength(1, fieldMessages.phone)),
})

const displayName = z.string().check(z.trim(), z.maxLength(100, fieldMessages.displayName))

/** The shortener and the edit of a link. Their problems are notices (texts.ts), so the schema checks nothing. */
export const linkForm = z.object({ url: z.string(), code: z.string() })

/** The name on the profile; blank means none. */
export const profileForm = z.object({ displayName })

/** Blocking: why, for admins only. The dialog's field takes no longer text. */
export const blockForm = z.object({ reason: z.string().check(z.trim()) })

/** Booking a payout: the reference of the payment. The dialog's field takes no longer text. */
export const payoutForm = z.object({ reference: z.string().check(z.trim()) })

/** Deleting an account: its own address is typed, to be sure. */
export function deleteAccountForm(email: string) {
  const isSame = (typed: string) =>
    (readEmailAddress(typed) ?? typed.trim()).toLowerCase() === email.toLowerCase()
  return z.object({
    confirmation: z.string().check(z.refine(isSame, `Type ${email} to confirm`)),
  })
}

/** Sign-up adds an optional name and an optional referral code; blank means none. */
export const signUpForm = z.object({
  email,
  password,
  displayName,
  referralCode: z
    .string()
    .check(z.trim(), z.toUpperCase(), z.maxLength(64, fieldMessages.referralCode)),
})

export type SignUpValues = z.infer<typeof signUpForm>
