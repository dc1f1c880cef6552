import { z } from 'zod'
import { routes } from '#domain/routes.ts'
import { defineTemplate } from '../email.ts'

// These emails contain nothing that people typed about themselves: anyone who knows an address can trigger them.

const linkSchema = z.string().max(6_000)
const codeSchema = z.string().regex(/^\d{6}$/)
const linkAndCode = z.object({ link: linkSchema, code: codeSchema })

const onceWithin = (time: string) => `The button and the code work once, for ${time}.`
const notYou = 'If it was not you, you need not do anything: without this mail nobody gets further.'

/** After a sign-up. */
export const confirmSignUp = defineTemplate(
  z.object({
    link: linkSchema,
    code: codeSchema,
    /** Two sign-ups with different passwords, so that neither is valid. */
    needsPassword: z.boolean().optional(),
  }),
  ({ link, code, needsPassword = false }) => ({
    subject: 'Confirm your email address',
    toAnyone: true,
    title: 'Confirm your email address',
    parts: [
      'Someone, hopefully you, has signed up for Hoplet with this address. Press the button to confirm that it is yours, or type the code where you signed up.',
      { button: 'Confirm email address', to: link },
      { code },
      ...(needsPassword
        ? [
            'This address was signed up more than once, with different passwords, so none of them works. You can set one under “Forgot password?” afterwards.',
          ]
        : []),
      `${onceWithin('one hour')} If it was not you, you need not do anything: the account stays closed.`,
    ],
  }),
)

/** For a forgotten password. */
export const recovery = defineTemplate(linkAndCode, ({ link, code }) => ({
  subject: 'Reset your password',
  toAnyone: true,
  title: 'Reset your password',
  parts: [
    'Someone, hopefully you, wants to set a new password for your account. Until then the old one keeps working.',
    { button: 'Reset password', to: link },
    { code },
    `${onceWithin('one hour')} ${notYou}`,
  ],
}))

/** For a sign-in without a password. */
export const magicLink = defineTemplate(linkAndCode, ({ link, code }) => ({
  subject: 'Your sign-in link',
  toAnyone: true,
  title: 'Sign in to Hoplet',
  parts: [
    'Press the button to sign in, or type the code where you asked for it.',
    { button: 'Sign in', to: link },
    { code },
    `${onceWithin('one hour')} Give the code to nobody, whoever asks. ${notYou}`,
  ],
}))

/** For an account that an admin created. */
export const invite = defineTemplate(linkAndCode, ({ link, code }) => ({
  subject: 'You are invited to Hoplet',
  toAnyone: true,
  title: 'You are invited',
  parts: [
    'An account was made for you, with this address. Press the button to open it.',
    { button: 'Accept the invitation', to: link },
    { code },
    `${onceWithin('24 hours')} If you did not expect it, you need not do anything.`,
  ],
}))

/** To the current address of an account, before it changes. */
export const emailChangeOld = defineTemplate(
  z.object({ link: linkSchema, code: codeSchema, newEmail: z.string().max(320) }),
  ({ link, code, newEmail }) => ({
    subject: 'Confirm the change of your email address',
    title: 'Change your email address?',
    parts: [
      'Someone who is signed in to your account wants it to have another email address. It changes once both addresses have agreed.',
      { facts: [['New address', newEmail]] },
      { button: 'Agree to the change', to: link },
      { code },
      `${onceWithin('one hour')} If it was not you, do not press it, and change your password: someone else is signed in to your account.`,
    ],
  }),
)

/** To the new address of an account. */
export const emailChangeNew = defineTemplate(linkAndCode, ({ link, code }) => ({
  subject: 'Confirm your new email address',
  toAnyone: true,
  title: 'Confirm your new email address',
  parts: [
    'Someone, hopefully you, wants this to be the email address of their account.',
    { button: 'Confirm new address', to: link },
    { code },
    `${onceWithin('one hour')} ${notYou}`,
  ],
}))

/** Confirms a change of an account, for the form that asks for the code. */
export const reauthentication = defineTemplate(z.object({ code: codeSchema }), ({ code }) => ({
  subject: 'Your confirmation code',
  title: 'Confirm that it is you',
  parts: [
    'Type this code to confirm the change that you are making to your account.',
    { code },
    'The code works once, for 10 minutes. Do not share it with anyone. If you did not request it, change your password: someone else is signed in to your account.',
  ],
}))

/** To an address with an account, after another sign-up with it or a change to it. */
export const alreadyRegistered = defineTemplate(z.object({}), () => ({
  subject: 'You already have an account',
  title: 'You already have an account',
  parts: [
    'Someone, hopefully you, has just tried to use this address for a Hoplet account. It has one already: just sign in. If you have forgotten your password, you can set a new one there.',
    { button: 'Sign in', to: routes.auth.path },
    'If it was not you, you need not do anything. Your account is as it was, and nobody has learned that it exists.',
  ],
}))
