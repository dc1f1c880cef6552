/** @module-tag extended */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { expectAccessible, openPage } from './browser.ts'
import { setStage, type Stage } from './stage.ts'

let stage: Stage
let ann: TestUser
setStage(async (ready) => {
  stage = ready
  ann = await makeUser(stage.server)
  await makeLink(stage.server, ann, { short_code: 'in-the-reference' })
})

async function makeKey(scopes: string[]): Promise<string> {
  const response = await fetch(`${stage.server.url}/auth/v1/user/api-keys`, {
    method: 'POST',
    headers: { ...ann.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Reference', scopes, expires_in_days: 1 }),
  })
  return ((await response.json()) as { key: string }).key
}

/** The calls of a part of the reference, and the button that sends one. */
const callNamed = (page: Page, name: string) =>
  page.locator('openapi-explorer').getByText(name, { exact: true }).first()
const send = (page: Page) =>
  page.locator('openapi-explorer').getByRole('button', { name: 'EXECUTE' }).first().click()

it('a call is tried with a key, and refused without one', async () => {
  const page = await openPage(stage.browser, stage.server.url, { user: ann })
  const foreign: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(stage.server.url)) foreign.push(request.url())
  })
  await page.goto('/settings?tab=api-keys')
  await page.getByRole('link', { name: 'API Reference' }).click()
  await callNamed(page, 'Create popups').waitFor()
  await page.getByText('Tables and procedures, in the wire format of PostgREST').waitFor()
  // The page begins with its title; the element would scroll to itself and take the focus.
  await page.getByRole('heading', { name: 'API Reference' }).waitFor()
  expect(await page.evaluate(() => [window.scrollY, document.activeElement?.tagName])).toEqual([
    0,
    'MAIN',
  ])
  await page.getByRole('link', { name: 'Functions' }).click()
  await callNamed(page, 'Your subscription').click()
  await send(page)
  await page.getByText('Response Status: Unauthorized (401)').waitFor()
  await page.getByText('"No access token"').first().waitFor()

  const field = page.getByLabel('API key or access token')
  const use = () => page.getByRole('button', { name: 'Use This Key' }).click()
  await use()
  await page.getByText('Paste a key first').waitFor()
  await field.fill(`hop_${'0'.repeat(49)}`)
  await use()
  await page.getByText('This key is wrong').waitFor()
  await field.fill(await makeKey(['links:read']))
  await use()
  await page.getByText('Calls on this page use your key.').waitFor()
  await page.getByRole('link', { name: 'Tables' }).click()
  // The key opens links, for reading.
  await callNamed(page, 'List shortened_urls').click()
  expect(await callNamed(page, 'Create popups').count()).toBe(0)
  expect(await callNamed(page, 'Create shortened_urls').count()).toBe(0)
  await send(page)
  await page.getByText('Response Status: OK (200)').waitFor()
  await page.getByText('"in-the-reference"').first().waitFor()
  await page.getByRole('button', { name: 'Forget the Key' }).click()
  await callNamed(page, 'Create popups').waitFor()
  expect(foreign).toEqual([])
  // Back leads out again.
  await expect
    .poll(async () => {
      await page.goBack()
      return page.url()
    })
    .toContain('/settings')
  await page.context().close()
})

it('a visitor reads it, and no token comes from the address', async () => {
  const page = await openPage(stage.browser, stage.server.url)
  const state = Buffer.from('{"apiKeyId":"bearer"}').toString('base64url')
  await page.goto(`/docs/reference?part=account&state=${state}&access_token=foreign`)
  await callNamed(page, 'Your API keys').click()
  expect(page.url()).not.toContain('foreign')
  const asked = page.waitForRequest((request) => request.url().endsWith('/user/api-keys'))
  await send(page)
  expect((await asked).headers()['authorization']).toBeUndefined()
  await page.getByText('Response Status: Unauthorized (401)').waitFor()
  await page.context().close()
})

for (const theme of ['light', 'dark'] as const) {
  for (const width of [360, 768, 1280, 1920]) {
    it(`the API reference is accessible and does not scroll sideways: ${theme}, ${width} px`, async () => {
      const page = await openPage(stage.browser, stage.server.url, { user: ann, theme, width })
      const look = async (name: string) => {
        await expectAccessible(page)
        const wide = () =>
          document.documentElement.scrollWidth - document.documentElement.clientWidth
        expect(await page.evaluate(wide), name).toBeLessThanOrEqual(0)
        if (process.env['PICTURES']) {
          const path = `${process.env['PICTURES']}/${name}-${width}-${theme}.png`
          await page.screenshot({ path })
        }
      }
      await page.goto('/docs/reference')
      await callNamed(page, 'List shortened_urls').waitFor()
      await look('reference')
      await callNamed(page, 'List shortened_urls').click()
      await send(page)
      await page.getByText('Response Status: OK (200)').waitFor()
      await look('reference-tried')
      await page.goto('/docs/reference?part=functions')
      await callNamed(page, 'Your subscription').click()
      await send(page)
      await page.getByText('Response Status: Unauthorized (401)').waitFor()
      await look('reference-refused')
      await page.context().close()
    })
  }
}
