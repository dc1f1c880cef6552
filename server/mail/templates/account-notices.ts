import { z } from 'zod'
import { routes } from '#domain/routes.ts'
import { defineTemplate } from '../letter.ts'

/** After the password of an account was changed. */
export const passwordChanged = defineTemplate(z.object({}), () => ({
  subject: 'Your password was changed',
  title: 'Your password was changed',
  parts: [
    'The password of your account has just been changed, and every other device was signed out.',
    'If it was not you, reset your password now, with “Forgot password?” on the sign-in page.',
    { button: 'Open Hoplet', to: routes.auth.path },
  ],
}))

const factorNames = {
  totp: 'an authenticator app',
  webauthn: 'a security key',
  phone: 'a phone number',
}

/** After an account got one more second factor. */
export const factorAdded = defineTemplate(
  z.object({ factor: z.enum(['totp', 'webauthn', 'phone']) }),
  ({ factor }) => ({
    subject: 'A second factor was added',
    title: 'A second factor was added',
    parts: [
      `Your account now has ${factorNames[factor]} as a second factor. From now on you need it to sign in.`,
      'If it was not you, somebody else is signed in to your account: write to whoever runs this site.',
      { button: 'See your settings', to: routes.settings.path },
    ],
  }),
)
