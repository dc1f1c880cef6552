import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Mailbox, openMailbox, type ReceivedMail } from '#test/auth/mailed/mailbox.ts'
import { newEmail, request } from '#test/auth/requests.ts'
import { expectAccessible, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let mailbox: Mailbox
let app: Server
let appUrl: string
let server: BuiltServer
let browser: Browser
beforeAll(async () => {
  mailbox = await openMailbox()
  // Another site that people return to.
  app = createServer(({ url = '', headers }, response) => {
    if (url.startsWith('/moved') && headers.host?.startsWith('127.')) {
      const moved = appUrl.replace('127.0.0.1', 'localhost') + url
      return response.writeHead(302, { location: moved }).end()
    }
    response.setHeader('Content-Type', 'text/html')
    return response.end(
      '<!doctype html><link rel="icon" href="data:,"><title>App</title><p>Back in the app',
    )
  }).listen(0)
  await once(app, 'listening')
  appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}`
})
afterAll(async () => {
  app.close()
  await mailbox.close()
})
setStage((stage) => ({ server, browser } = stage), {
  environment: () => ({
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'Hoplet <hoplet@example.com>',
    AUTH_REDIRECT_URLS: `${appUrl}/back,${appUrl}/moved`,
    RATE_LIMITS: 'off',
  }),
})

async function signUpMail(redirectTo: string): Promise<ReceivedMail> {
  const email = newEmail()
  const path = `/signup?redirect_to=${encodeURIComponent(redirectTo)}`
  await request(server, path, { body: { email, password: 'correct horse 42' } })
  await expect
    .poll(() => mailbox.received.some(({ to }) => to === email), { timeout: 240_000 })
    .toBe(true)
  const mail = mailbox.received.find(({ to }) => to === email)
  if (!mail) throw new Error('no mail')
  return mail
}

it.each([
  [360, 'light'],
  [360, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const)(
  'the server shows a mailed link’s page and a dead one’s, %i px, %s',
  { tags: ['extended'] },
  async (width, theme) => {
    const { link } = await signUpMail(`${server.url}/dashboard`)
    const page = await openPage(browser, server.url, { width, theme })
    await page.goto(link)
    await page.getByRole('heading', { name: 'Confirm your email address' }).waitFor()
    await expectAccessible(page)
    await page.goto(`${link.replace(/token=[^&]+/, 'token=gone')}`)
    await page.getByRole('heading', { name: 'This link has expired or was already used' }).waitFor()
    await expectAccessible(page)
    await page.context().close()
  },
)

it(
  'the page leads on by keyboard, to another site that is allowed too',
  { tags: ['extended'] },
  async () => {
    const { link } = await signUpMail(`${appUrl}/back`)
    const page = await openPage(browser, server.url)
    await page.goto(link)
    // The way home comes first.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${appUrl}/back#access_token=**`)
    await page.getByText('Back in the app').waitFor()
    // A page of the mail's address must not stay good in the history.
    await page.goto(link)
    await page.getByRole('link', { name: 'Continue to the site' }).click()
    await page.waitForURL(`${appUrl}/back?error=access_denied&error_code=otp_expired**`)
    await page.context().close()
  },
)

it(
  'the page leads on to a site that has moved to another address',
  { tags: ['extended'] },
  async () => {
    const { link } = await signUpMail(`${appUrl}/moved`)
    const page = await openPage(browser, server.url)
    await page.goto(link)
    await page.getByRole('button', { name: 'Confirm email address' }).click()
    await page.getByText('Back in the app').waitFor()
    expect(page.url()).toMatch(/^http:\/\/localhost:\d+\/moved#access_token=/)
    await page.context().close()
  },
)
