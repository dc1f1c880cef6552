import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Webhook } from 'standardwebhooks'
import { makeUser } from '#test/factories.ts'
import { type Receiver, startReceiver } from '#test/webhooks/receiver.ts'
import {
  expectAccessible,
  expectNotice,
  forgive,
  noticesOf,
  openPage,
  widthsOf,
} from '../browser.ts'
import { setStage, type Stage } from '../stage.ts'

let stage: Stage
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.close())
setStage(
  (ready) => {
    stage = ready
  },
  { environment: () => ({ RATE_LIMITS: 'off', WEBHOOK_PRIVATE_ADDRESSES: 'on' }) },
)

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function look(page: Page, name: string, width: number, theme: string) {
  await page.waitForTimeout(250)
  await expectAccessible(page)
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow, name).toBeLessThanOrEqual(0)
  if (process.env.PICTURES) {
    const path = `${process.env.PICTURES}/${name}-${width}-${theme}.png`
    await page.screenshot({ path, fullPage: true })
  }
}

it(
  'a webhook is added, tested, looked at, sent again, rotated and deleted',
  { tags: ['extended'] },
  async () => {
    const page = await openPage(stage.browser, stage.server.url, {
      user: await makeUser(stage.server),
    })
    await page.goto('/settings?tab=webhooks')
    await press(page, 'Add Webhook')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Address' }).fill('ftp://example.com')
    await dialog.getByRole('button', { name: 'Add Webhook' }).click()
    await expectNotice(page, 'The webhook was not saved', 'The address must begin with https://')
    await dialog.getByRole('textbox', { name: 'Address' }).fill(receiver.url)
    await dialog.getByLabel('The plan changes').check()
    await page.keyboard.press('Enter')
    const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue()
    await press(page, 'I have saved it')
    await page.getByRole('link', { name: `Open the webhook to ${receiver.url}` }).click()
    await press(page, 'Send a Test')
    await page.getByText('Delivered, answered 200').waitFor()
    const [arrival] = receiver.arrivals
    new Webhook(secret).verify(arrival?.body ?? '', arrival?.headers ?? {})

    await page.getByRole('button', { name: /^Show webhook\.test/ }).click()
    await dialog.getByText('This is a test.').waitFor()
    await dialog.getByText('answered 200', { exact: true }).waitFor()
    await press(page, 'Send Again')
    await expect.poll(() => receiver.arrivals.length).toBe(2)
    expect(receiver.arrivals[1]?.id).toBe(arrival?.id)

    await press(page, 'Rotate Secret')
    await press(page, 'Rotate')
    expect(await page.getByRole('textbox', { name: 'Secret' }).inputValue()).not.toBe(secret)
    await press(page, 'I have saved it')
    await page.getByText('Two secrets sign until').waitFor()
    await press(page, 'Delete')
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No webhooks').waitFor()
    await page.context().close()
  },
)

for (const theme of ['light', 'dark'] as const) {
  for (const width of widthsOf(theme)) {
    it(
      `the screen of webhooks is accessible and does not scroll sideways: ${theme}, ${width} px`,
      { tags: ['extended'] },
      async () => {
        const user = await makeUser(stage.server)
        const page = await openPage(stage.browser, stage.server.url, { user, theme, width })
        await page.goto('/settings?tab=webhooks')
        await press(page, 'Add Webhook')
        await look(page, 'webhooks-form', width, theme)
        await page
          .getByRole('textbox', { name: 'Address' })
          .fill(`${receiver.url}/a-rather-long-path/for/a/narrow/screen`)
        await page.getByRole('dialog').getByRole('button', { name: 'Add Webhook' }).click()
        await page.getByRole('textbox', { name: 'Secret' }).waitFor()
        await press(page, 'I have saved it')
        await page.getByRole('link', { name: /^Open the webhook/ }).waitFor()
        await page.getByRole('link', { name: /^Open the webhook/ }).click()
        await press(page, 'Send a Test')
        await page.getByText('Delivered, answered 200').waitFor()
        await look(page, 'webhooks-detail', width, theme)
        await page.getByRole('button', { name: /^Show webhook\.test/ }).click()
        await page.getByText('This is a test.').waitFor()
        await look(page, 'webhooks-delivery', width, theme)
        await page.context().close()
      },
    )
  }
}

it.each([
  [360, 'dark'],
  [1280, 'light'],
] as const)(
  'an email provider is added with its key, at %i px, %s',
  { tags: ['extended'] },
  async (width, theme) => {
    const page = await openPage(stage.browser, stage.server.url, {
      user: await makeUser(stage.server),
      width,
      theme,
    })
    await page.goto('/settings?tab=webhooks')
    await press(page, 'Add Email Provider')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Provider').selectOption('listmonk')
    await dialog.getByLabel('Address').fill(new URL(receiver.url).origin)
    await dialog.getByLabel('API key').fill('no-user')
    await dialog.getByLabel('List ID').fill('3')
    await look(page, 'email-provider', width, theme)
    await dialog.getByRole('button', { name: 'Add Provider' }).click()
    await expectNotice(
      page,
      'The webhook was not saved',
      'This is not a key and a list of this provider',
    )
    await dialog.getByLabel('API key').fill('hoplet:token')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /^Open the webhook to/ }).click()
    await page.getByRole('button', { name: 'Switch Off' }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Rotate Secret' }).count()).toBe(0)
    await look(page, 'email-provider-detail', width, theme)
    await page.context().close()
  },
)

it(
  'while the server is out of reach, waiting webhooks are read again, and the failure is said once',
  { tags: ['extended'] },
  async () => {
    const user = await makeUser(stage.server)
    const page = await openPage(stage.browser, stage.server.url, { user })
    let calls = 0
    await page.route('**/functions/v1/webhooks', async (route) => {
      calls += 1
      if (calls > 1) return route.abort('connectionrefused')
      const webhooks = [
        {
          id: user.id,
          url: receiver.url,
          description: '',
          provider: null,
          disabled_reason: null,
          paused_until: null,
          waiting: 1,
          dropped: 0,
        },
      ]
      return route.fulfill({ json: { webhooks } })
    })
    await page.goto('/settings?tab=webhooks')
    await page.getByText('1 waiting.').waitFor()
    // Each poll is tried twice.
    await expect.poll(() => calls).toBeGreaterThan(6)
    const failures = () => noticesOf(page).filter((text) => text.includes('Failed to load'))
    expect(failures().length).toBe(1)
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect.poll(() => failures().length).toBe(2)
    forgive(/ERR_CONNECTION_REFUSED/)
    await page.context().close()
  },
)
