/** @module-tag extended */
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sendPassword } from '../account-stage.ts'
import { expectNotice, openPage } from '../browser.ts'
import { type BuiltServer, startBuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

/** Turnstile's script, without the person: a token a moment after it was drawn. */
const widget = `window.turnstile = {
  render(place, { sitekey, callback }) {
    place.textContent = 'Robot? ' + sitekey
    window.solve = () => callback('token-' + Math.random())
    return 'widget-1'
  },
  remove() {},
}`

let provider: Server
let server: BuiltServer
let browser: Browser
const tokens: string[] = []
beforeAll(async () => {
  provider = createServer((request, response) => {
    void text(request).then((body) => {
      const token = new URLSearchParams(body).get('response') ?? body
      const success = token.includes('token-') && !tokens.includes(token)
      tokens.push(token)
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ success }))
    })
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
})
afterAll(() => provider.close())
setStage((stage) => ({ server, browser } = stage), {
  environment: () => ({
    RATE_LIMITS: 'off',
    CAPTCHA_PROVIDER: 'turnstile',
    CAPTCHA_SITE_KEY: 'site-key-1',
    CAPTCHA_SECRET: 'secret-1',
    CAPTCHA_VERIFY_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/siteverify`,
  }),
})

it('the captcha is solved again before each sign-in, under a policy that allows its script', async () => {
  const page = await openPage(browser, server.url)
  await page.route('https://challenges.cloudflare.com/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: widget }),
  )
  await page.goto('/auth')
  await page.getByText('Robot? site-key-1').waitFor()
  const person = { email: 'nobody@example.com', password: 'wrong horse 42' }
  await sendPassword(page, person)
  await expectNotice(page, 'Please confirm that you are not a robot')
  expect(tokens).toEqual([])
  for (const attempt of [1, 2]) {
    await page.evaluate('solve()')
    await sendPassword(page, person)
    await expectNotice(page, 'Login Failed', 'Invalid login credentials')
    await expect.poll(() => tokens.length).toBe(attempt)
  }
  await page.context().close()
})

it('the captcha lets no foreign script in where none is set up', async () => {
  const plain = await startBuiltServer()
  try {
    const policy = (await fetch(`${plain.url}/auth`)).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("script-src 'self';")
    expect(policy).not.toMatch(/https:\/\//)
    const page = await openPage(browser, plain.url)
    const foreign: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(plain.url)) foreign.push(request.url())
    })
    await page.goto('/auth')
    await page.getByRole('button', { name: 'Email me a sign-in link' }).waitFor()
    await page.waitForTimeout(300)
    expect(foreign).toEqual([])
    await page.context().close()
  } finally {
    await plain.close()
  }
})
