import * as z from 'zod/mini'
import { fieldMessages } from './texts.ts'

const email = z
  .string()
  .check(z.trim(), z.email(fieldMessages.email), z.maxLength(254, fieldMessages.email))
const password = z.string().check(z.minLength(6, fieldMessages.password))

/** Sign-in: the first issue is what the screen shows as 'Validation Error'. */
export const signInForm = z.object({ email, password })

/** A form that asks for an address only: forgotten password, sign-in link, another address. */
export const emailForm = z.object({ email })

export const newPasswordForm = z.object({ password })

const displayName = z.string().check(z.trim(), z.maxLength(100, fieldMessages.displayName))

/** The name on the profile; blank means none. */
export const profileForm = z.object({ displayName })

/** Sign-up adds an optional name and an optional referral code; blank means none. */
export const signUpForm = z.object({
  email,
  password,
  displayName,
  referralCode: z
    .string()
    .check(z.trim(), z.toUpperCase(), z.maxLength(64, fieldMessages.referralCode)),
})

export type SignInForm = z.infer<typeof signInForm>
export type SignUpForm = z.infer<typeof signUpForm>
