import { z } from 'zod'
import { routes } from '#domain/routes.ts'
import { defineTemplate } from '../email.ts'

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

const factor = z.enum(['totp', 'webauthn', 'phone'])

/** After an account got one more second factor. */
export const factorAdded = defineTemplate(z.object({ factor }), (about) => ({
  subject: 'A second factor was added',
  title: 'A second factor was added',
  parts: [
    `Your account now has ${factorNames[about.factor]} as a second factor. From now on you need it to sign in.`,
    'If it was not you, someone else is signed in to your account: write to the operator of this site.',
    { button: 'See your settings', to: routes.settings.path },
  ],
}))

/** After an account lost a second factor that counted. */
export const factorRemoved = defineTemplate(z.object({ factor }), (about) => ({
  subject: 'A second factor was removed',
  title: 'A second factor was removed',
  parts: [
    `Your account no longer has ${factorNames[about.factor]} as a second factor. It is not asked for any more when you sign in.`,
    'If it was not you, reset your password now, with “Forgot password?” on the sign-in page, and set up a second factor again.',
    { button: 'See your settings', to: routes.settings.path },
  ],
}))
