import { expect, it } from 'vitest'
import { authRefusal } from '#web/session/auth-refusal.ts'

it('the refusal says for people when an email was asked for a moment ago', () => {
  const code = 'over_email_send_rate_limit'
  const message =
    'For security purposes, you can only request another confirmation email after 51 seconds.'
  expect(authRefusal({ code, message })).toBe(
    'We have just sent an email to this address. Look into your mailbox, or ask for another one in 51 seconds.',
  )
  expect(authRefusal({ code: 'otp_expired', message: 'Token has expired' })).toBe(
    'Token has expired',
  )
})

it('the refusal says for people that the session has ended', () => {
  const error = { name: 'AuthSessionMissingError', message: 'Auth session missing!' }
  expect(authRefusal(error)).toBe('Your session has ended. Sign in again.')
})
