import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { type Mailbox, openMailbox, type ReceivedMail } from '#test/auth/mailed/mailbox.ts'
import type { TestUser } from '#test/factories.ts'
import type { BuiltServer } from './built-server.ts'
import { setStage, type Stage } from './stage.ts'

export interface AccountStage extends Stage {
  mailbox: Mailbox
}

/**
 * The stage of the tests of people's accounts: a server that has a name (security keys want one) and sends its mails to
 * a real mail server, so that addresses have to be confirmed.
 */
export function setAccountStage(
  ready: (stage: AccountStage) => void,
  environment: () => Record<string, string> = () => ({}),
): void {
  let mailbox: Mailbox
  beforeAll(async () => {
    mailbox = await openMailbox()
  })
  afterAll(() => mailbox.close())
  setStage((stage) => ready({ ...stage, mailbox }), {
    environment: () => ({
      RATE_LIMITS: 'off',
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'Hoplet <hoplet@example.com>',
      ...environment(),
    }),
    hostname: 'localhost',
  })
}

let serial = 0
export function newEmail(): string {
  return `person-${process.pid}-${++serial}@example.com`
}

type LinkType = 'signup' | 'recovery' | 'magiclink' | 'email_change'

/** The newest mail with such a link to this address, once there are as many as `count`. */
export async function mailTo(
  { mailbox }: AccountStage,
  email: string,
  type: LinkType,
  count = 1,
): Promise<ReceivedMail> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const mails = mailbox.received.filter(
      ({ to, link }) => to === email && link.includes(`type=${type}&`),
    )
    const newest = mails.at(-1)
    if (newest && mails.length >= count) return newest
    await sleep(50)
  }
  throw new Error(`no mail for ${email}`)
}

/** A signed-in person with a confirmed address. */
export async function makeConfirmed({ server }: AccountStage): Promise<TestUser> {
  const credentials = { email: newEmail(), password: 'correct horse 42' }
  await post(server, '/signup', credentials)
  await server.sql(
    'update auth.users set email_confirmed_at = now(), email_proven_at = now() where email = $1',
    [credentials.email],
  )
  const session = (await post(
    server,
    '/token?grant_type=password',
    credentials,
  )) as TestUser['session']
  return {
    ...credentials,
    id: session.user.id,
    accessToken: session.access_token,
    refreshToken: session.refresh_token,
    session,
    headers: { apikey: server.anonKey, authorization: `Bearer ${session.access_token}` },
  }
}

/** POST of JSON to the auth door. */
export async function post(
  server: BuiltServer,
  path: string,
  body: Record<string, unknown>,
  token?: string,
): Promise<unknown> {
  const response = await fetch(`${server.url}/auth/v1${path}`, {
    method: 'POST',
    headers: {
      apikey: server.anonKey,
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  const answer: unknown = await response.json()
  if (!response.ok) throw new Error(`${path} answered ${JSON.stringify(answer)}`)
  return answer
}

/** Fills the sign-in form and sends it. */
export async function sendPassword(
  page: Page,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('main').getByRole('button', { name: 'Sign In', exact: true }).first().click()
}
