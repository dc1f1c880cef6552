import { setTimeout as sleep } from 'node:timers/promises'
import { generate } from 'otplib'
import type { Email } from 'postal-mime'
import { makeUser, type TestUser } from '#test/factories.ts'
import { readFiles } from '#test/mail/mails.ts'
import type { TestServer } from '#test/server.ts'
import { type Answer, request, signIn } from '../requests.ts'

type Server = Pick<TestServer, 'url' | 'anonKey' | 'sql'>

export interface Enrolled {
  user: TestUser
  factorId: string
  secret: string
  /** Token of the session that the factor was verified in. */
  aal2: string
  aal2Refresh: string
  /** Token of a later sign-in, with the password alone. */
  aal1: string
}

/**
 * The code of an authenticator app, `steps` of 30 seconds from now: -1, 0 and 1 are good, each once. Waits past the end
 * of a step, so that the test and the server mean the same one.
 */
export async function codeOf(secret: string, steps = 0): Promise<string> {
  const left = 30_000 - (Date.now() % 30_000)
  if (left < 3_000) await sleep(left + 50)
  return generate({ secret, epoch: Math.floor(Date.now() / 1000) + steps * 30 })
}

/** Sends all waiting emails, then returns those of one person, oldest first. */
export async function mailsFor(
  { context }: Pick<TestServer, 'context'>,
  email: string,
): Promise<Email[]> {
  await context.mail.drain()
  const files = await readFiles(context.config.dataDir)
  return files
    .map(({ mail }) => mail)
    .filter(({ to }) => to?.some(({ address }) => address === email))
}

/** A code that is not good now. */
export async function wrongCode(secret: string): Promise<string> {
  const good = await Promise.all([-1, 0, 1].map((steps) => codeOf(secret, steps)))
  return ['000000', '111111', '222222', '333333'].find((code) => !good.includes(code)) ?? ''
}

export function enroll(
  server: Server,
  token: string,
  body: Record<string, unknown> = { factor_type: 'totp' },
): Promise<Answer> {
  return request(server, '/factors', { token, body })
}

export async function challenge(
  server: Server,
  token: string,
  factorId: string,
  from?: string,
): Promise<Answer> {
  const path = `/factors/${factorId}/challenge`
  return request(server, path, { token, body: {}, ...(from !== undefined && { from }) })
}

/** Asks for a challenge and answers it with a code. */
export async function stepUp(
  server: Server,
  token: string,
  factorId: string,
  code: string,
  from?: string,
): Promise<Answer> {
  const asked = await challenge(server, token, factorId, from)
  if (asked.status !== 200) return asked
  return request(server, `/factors/${factorId}/verify`, {
    token,
    body: { challenge_id: asked.body['id'], code },
    ...(from !== undefined && { from }),
  })
}

/** A person with an authenticator app (the code of one step ago is used up), and a session of each level. */
export async function makeEnrolled(server: Server): Promise<Enrolled> {
  const user = await makeUser(server)
  const { body } = await enroll(server, user.accessToken)
  const factorId = String(body['id'])
  const { secret } = body['totp'] as { secret: string }
  const verified = await stepUp(server, user.accessToken, factorId, await codeOf(secret, -1))
  if (verified.status !== 200) throw new Error(`verify answered ${JSON.stringify(verified.body)}`)
  const again = await signIn(server, user.email, user.password)
  if (again.status !== 200) throw new Error(`sign-in answered ${JSON.stringify(again.body)}`)
  return {
    user,
    factorId,
    secret,
    aal2: String(verified.body['access_token']),
    aal2Refresh: String(verified.body['refresh_token']),
    aal1: String(again.body['access_token']),
  }
}
