/** @module-tag extended */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { appCallback, askFor, makeApp, pkcePair, tokensFor } from '#test/auth/oauth/oauth-app.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { expectAccessible, expectNotice, openPage, widthsOf } from '../browser.ts'
import { sendPassword } from '../account-stage.ts'
import { look } from '../look.ts'
import { setStage } from '../stage.ts'

let stage: Parameters<Parameters<typeof setStage>[0]>[0]
setStage((ready) => {
  stage = ready
})

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** A page in which the app's address answers, although no app runs there. */
async function open(user?: TestUser, visit = {}): Promise<Page> {
  const page = await openPage(stage.browser, stage.server.url, { ...visit, ...(user && { user }) })
  await page.route('https://app.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>The app</title>' }),
  )
  return page
}

async function ask(scope = 'openid email links:read links:write'): Promise<string> {
  const app = await makeApp(stage.server, {
    client_name: 'Link Robot',
    client_uri: 'https://app.example',
    scope,
  })
  return askFor(stage.server, app, pkcePair(), { scope, state: 'st-1' })
}

const screenOf = (id: string) => `/oauth/consent?authorization_id=${id}`

async function backAtTheApp(page: Page): Promise<URLSearchParams> {
  await page.waitForURL(`${appCallback}**`)
  return new URL(page.url()).searchParams
}

it(
  'the consent screen names the app and its scopes, and takes a yes back to the app',
  { tags: ['gate'] },
  async () => {
    const user = await makeUser(stage.server)
    const page = await open(user)
    await page.goto(screenOf(await ask()))
    await page.getByRole('heading', { name: 'Link Robot wants to act for you' }).waitFor()
    await expect
      .poll(() => page.getByRole('main').getByRole('listitem').allTextContents())
      .toEqual([
        'Know that it is you',
        'See your email address',
        'See your links and their counts',
        'Create, change and delete your links',
      ])
    await page.getByRole('main').getByText(user.email).waitFor()
    await press(page, 'Allow')
    const answer = await backAtTheApp(page)
    expect(answer.get('code')).toMatch(/\S{20}/)
    expect(answer.get('state')).toBe('st-1')
    await page.context().close()
  },
)

it('the consent screen returns to the app after a refusal', async () => {
  const page = await open(await makeUser(stage.server))
  await page.goto(screenOf(await ask()))
  await press(page, 'Deny')
  const answer = await backAtTheApp(page)
  expect(answer.get('error')).toBe('access_denied')
  expect(answer.has('code')).toBe(false)
  await page.context().close()
})

it('the consent screen leads signed-out people to the sign-in and back', async () => {
  const user = await makeUser(stage.server)
  const page = await open()
  await page.goto(screenOf(await ask()))
  await page.waitForURL('**/auth?next=**')
  await sendPassword(page, user)
  await page.getByRole('heading', { name: 'Link Robot wants to act for you' }).waitFor()
  await press(page, 'Allow')
  expect((await backAtTheApp(page)).has('code')).toBe(true)
  await page.context().close()
})

it.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example',
  '/some-code',
  'javascript:1',
])('the consent screen goes nowhere else after the sign-in: %s', async (next) => {
  const page = await open(await makeUser(stage.server))
  await page.goto(`/auth?next=${encodeURIComponent(next)}`)
  await page.waitForURL('**/dashboard')
  await page.context().close()
})

it('the consent screen does not ask again for allowed scopes, and asks again after they were withdrawn', async () => {
  const user = await makeUser(stage.server)
  const page = await open(user)
  const app = await makeApp(stage.server, { client_name: 'Link Robot', scope: 'links:read' })
  const again = () => askFor(stage.server, app, pkcePair(), { scope: 'links:read' })
  await page.goto(screenOf(await again()))
  await press(page, 'Allow')
  await backAtTheApp(page)
  await page.goto(screenOf(await again()))
  expect((await backAtTheApp(page)).has('code')).toBe(true)

  await page.goto('/settings?tab=apps')
  await page.getByText('See your links and their counts').waitFor()
  await press(page, 'Revoke access of Link Robot')
  await press(page, 'Revoke')
  await expectNotice(page, 'Access revoked')
  await page.getByRole('heading', { name: 'No connected apps' }).waitFor()
  await page.goto(screenOf(await again()))
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  await page.context().close()
})

it('the consent screen lists the changes of apps', async () => {
  const user = await makeUser(stage.server, { plan: 'business' })
  const app = await makeApp(stage.server, { client_name: 'Link Robot' })
  const { access_token: token } = await tokensFor(stage.server, user, app, 'links:write')
  const made = await fetch(`${stage.server.url}/rest/v1/rpc/create_links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      _links: Array.from({ length: 9 }, (_, at) => ({
        original_url: 'https://example.com/',
        short_code: `robots-${user.id.slice(0, 6)}-${at}`,
      })),
    }),
  })
  expect((await made.text()).match(/"status":"created"/g)).toHaveLength(9)
  const page = await open(user)
  await page.goto('/settings?tab=apps')
  const list = page.getByRole('region', { name: 'What apps have done' })
  await list.getByText(`Created the link robots-${user.id.slice(0, 6)}-8`).waitFor()
  expect(await list.getByText(', by Link Robot').count()).toBe(8)
  await expectAccessible(page)
  await look(page, 'apps-history')
  await list.getByRole('button', { name: 'Show More' }).click()
  await list.getByText(`Created the link robots-${user.id.slice(0, 6)}-0`).waitFor()
  await page.context().close()
})

it('the consent screen lets another account go on when it was not you', async () => {
  const [first, second] = [await makeUser(stage.server), await makeUser(stage.server)]
  const page = await open(first)
  await page.goto(screenOf(await ask()))
  await page.getByRole('main').getByText(first.email).waitFor()
  // By keyboard alone, from the last thing before it.
  await page.getByRole('button', { name: 'Not you?' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/auth?next=**')
  await sendPassword(page, second)
  await page.getByRole('main').getByText(second.email).waitFor()
  await press(page, 'Allow')
  const answer = await backAtTheApp(page)
  expect(answer.has('code')).toBe(true)
  expect(answer.get('state')).toBe('st-1')
  const grants = async (user: TestUser) => {
    const url = `${stage.server.url}/auth/v1/user/oauth/grants`
    return (await (await fetch(url, { headers: user.headers })).json()) as unknown[]
  }
  expect(await grants(second)).toHaveLength(1)
  await page.context().close()
})

it('the consent screen stays signed in, with a message, when the request cannot be canceled', async () => {
  const user = await makeUser(stage.server)
  const page = await open(user)
  await page.goto(screenOf(await ask()))
  const busy = { code: 'over_request_rate_limit', message: 'Request rate limit reached' }
  await page.route('**/release', (route) => route.fulfill({ status: 429, json: busy }))
  await press(page, 'Not you?')
  await expectNotice(page, 'You are still signed in')
  await page.unroute('**/release')
  await press(page, 'Allow')
  expect((await backAtTheApp(page)).has('code')).toBe(true)
  await page.context().close()
})

it("the consent screen says when a request is unknown, another account's, or missing", async () => {
  const id = await ask()
  const first = await open(await makeUser(stage.server))
  await first.goto(screenOf(id))
  await first.getByRole('button', { name: 'Allow' }).waitFor()
  const page = await open(await makeUser(stage.server))
  for (const path of [screenOf(id), screenOf('no-such-request'), '/oauth/consent']) {
    await page.goto(path)
    await page.getByRole('alert').getByText('This request is no longer valid').waitFor()
  }
  await first.context().close()
  await page.context().close()
})

for (const theme of ['light', 'dark'] as const) {
  for (const width of widthsOf(theme)) {
    it(`the consent screen is accessible and does not scroll sideways: ${theme}, ${width} px`, async () => {
      const user = await makeUser(stage.server)
      const page = await open(user, { theme, width })
      await page.goto(screenOf(await ask()))
      await page.getByRole('button', { name: 'Allow' }).waitFor()
      await page.waitForTimeout(250)
      await expectAccessible(page)
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overflow).toBeLessThanOrEqual(0)
      if (process.env.PICTURES)
        await page.screenshot({
          path: `${process.env.PICTURES}/oauth-consent-${width}-${theme}.png`,
          fullPage: true,
        })
      await page.context().close()
    })
  }
}
