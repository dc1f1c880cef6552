/** @module-tag extended */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeOf } from '#test/auth/factors/second-factor.ts'
import { type Google, startGoogle } from '#test/auth/stand-ins/google.ts'
import { makeLink, type TestUser } from '#test/factories.ts'
import { addTotp, plugKeyIn } from '../account-factors.ts'
import {
  type AccountStage,
  mailTo,
  makeConfirmed,
  newEmail,
  post,
  sendPassword,
  setAccountStage,
} from '../account-stage.ts'
import { expectAccessible, expectNotice, openPage, widthsOf } from '../browser.ts'
import { look } from '../look.ts'

let google: Google
let stage: AccountStage
beforeAll(async () => {
  google = await startGoogle('127.0.0.1')
})
setAccountStage(
  (ready) => {
    stage = ready
  },
  () => ({
    AUTH_PROVIDER_GOOGLE_ISSUER: google.url,
    AUTH_PROVIDER_GOOGLE_CLIENT_ID: google.clientId,
    AUTH_PROVIDER_GOOGLE_CLIENT_SECRET: google.clientSecret,
  }),
)
beforeAll(() => google.register(`${stage.server.url}/auth/v1/callback`))
afterAll(() => google.close())

const open = (user?: TestUser, visit = {}) =>
  openPage(stage.browser, stage.server.url, { ...visit, ...(user && { user }) })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Signs in once more, as another device does. @returns its token */
async function signInElsewhere({ email, password }: TestUser): Promise<string> {
  const session = (await post(stage.server, '/token?grant_type=password', { email, password })) as {
    access_token: string
  }
  return session.access_token
}

async function isAlive(token: string): Promise<boolean> {
  const { url, anonKey: apikey } = stage.server
  const response = await fetch(`${url}/auth/v1/user`, {
    headers: { apikey, authorization: `Bearer ${token}` },
  })
  return response.ok
}

it('the screen of settings shows the open one of its parts on a phone, where the list of them is scrolled', async () => {
  const page = await open(await makeConfirmed(stage), { width: 360 })
  const parts = page.getByRole('navigation', { name: 'Settings' })
  for (const [tab, name] of [
    ['account', 'Account'],
    ['profile', 'Profile'],
  ] as const) {
    await page.goto(`/settings?tab=${tab}`)
    const link = parts.getByRole('link', { name, exact: true })
    await link.waitFor()
    const isInside = () =>
      link.evaluate((element) => {
        const { left, right } = element.getBoundingClientRect()
        return left >= 0 && right <= window.innerWidth
      })
    await expect.poll(isInside).toBe(true)
  }
  await page.context().close()
})

it('the screen of settings opens from the menu, and leads signed-out people to the sign-in', async () => {
  const user = await makeConfirmed(stage)
  const page = await open(user)
  await page.goto('/')
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('link', { name: 'Settings' }).last().click()
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  await page.getByRole('link', { name: 'Connected Apps' }).click()
  await page.getByRole('heading', { name: 'No connected apps' }).waitFor()
  expect(page.url()).toContain('tab=apps')
  const other = await open()
  await other.goto('/settings')
  await other.waitForURL(/\/auth(\?|$)/)
  await page.context().close()
  await other.context().close()
})

describe('the profile', () => {
  it('keeps a display name, by keyboard alone', async () => {
    const user = await makeConfirmed(stage)
    const page = await open(user)
    await page.goto('/settings')
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await save.waitFor()
    await expect.poll(() => save.isDisabled()).toBe(true)
    await expect
      .poll(() => page.getByRole('button', { name: 'Change Email' }).isDisabled())
      .toBe(true)
    await page.getByRole('textbox', { name: 'Display name' }).fill('x'.repeat(101))
    await expect.poll(() => save.isDisabled()).toBe(false)
    await page.keyboard.press('Enter')
    await expectNotice(page, 'Validation Error', 'Display name must be at most 100 characters')
    await page.getByRole('textbox', { name: 'Display name' }).fill(' Grace Hopper ')
    await page.keyboard.press('Enter')
    await expectNotice(page, 'Saved')
    await page.reload()
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Display name' }).inputValue())
      .toBe('Grace Hopper')
    await page.context().close()
  })

  it('changes the email once both addresses have agreed', async () => {
    const user = await makeConfirmed(stage)
    const email = newEmail()
    const page = await open(user)
    await page.goto('/settings')
    await page.getByLabel('New email').fill(email)
    await press(page, 'Change Email')
    await expectNotice(page, 'Confirm the new address')
    await page.getByText(`Waiting for ${email} to be confirmed.`).waitFor()
    await page.goto((await mailTo(stage, email, 'email_change')).link)
    await press(page, 'Agree to the change')
    await expectNotice(page, 'Almost done')
    await page.goto((await mailTo(stage, user.email, 'email_change')).link)
    await press(page, 'Agree to the change')
    await expectNotice(page, 'Email changed', email)
    expect(new URL(page.url()).search).toBe('')
    await page.getByText(`Current: ${email}`).waitFor()
    await page.context().close()
  })

  it('says that the email has changed in another browser too', async () => {
    const user = await makeConfirmed(stage)
    const email = newEmail()
    const page = await open(user)
    await page.goto('/settings')
    await page.getByLabel('New email').fill(email)
    await press(page, 'Change Email')
    await expectNotice(page, 'Confirm the new address')
    const phone = await open()
    await phone.goto((await mailTo(stage, email, 'email_change')).link)
    await press(phone, 'Agree to the change')
    await expectNotice(phone, 'Almost done')
    await phone.goto((await mailTo(stage, user.email, 'email_change')).link)
    await press(phone, 'Agree to the change')
    await expectNotice(phone, 'Email changed')
    await phone.context().close()
    await page.context().close()
  })
})

it(
  'the screen of settings changes the password and ends every other session',
  { tags: ['gate'] },
  async () => {
    const user = await makeConfirmed(stage)
    const elsewhere = await signInElsewhere(user)
    const page = await open(user)
    await page.goto('/settings?tab=security')
    await page.getByLabel('New password').fill(user.password)
    await press(page, 'Change Password')
    await expectNotice(page, 'The password was not changed', 'New password should be different')
    await page.getByLabel('New password').fill('a better horse 43')
    await press(page, 'Change Password')
    await expectNotice(page, 'Password changed')
    expect(await isAlive(elsewhere)).toBe(false)
    const other = await open()
    await other.goto('/auth')
    await sendPassword(other, { ...user, password: 'a better horse 43' })
    await other.waitForURL('**/dashboard')
    await page.context().close()
    await other.context().close()
  },
)

it('the screen of settings stores both choices of emails about clicks that are made at once', async () => {
  const user = await makeConfirmed(stage)
  await stage.server.sql(`update app.user_plans set plan_type = 'pro' where user_id = $1`, [
    user.id,
  ])
  const page = await open(user)
  await page.goto('/settings')
  const stored = () =>
    stage.server.sql('select milestones, weekly from app.click_mails where user_id = $1', [user.id])
  const milestones = page.getByRole('switch', { name: 'Click milestones by email' })
  const weekly = page.getByRole('switch', { name: 'Weekly summary on Mondays' })
  await page.route('**/rpc/set_click_mails', async (route) => {
    await new Promise((done) => setTimeout(done, 500))
    await route.continue()
  })
  await milestones.click()
  await weekly.click()
  await expectNotice(page, 'Saved')
  await expect.poll(() => stored()).toEqual([{ milestones: true, weekly: true }])
  expect([await milestones.isChecked(), await weekly.isChecked()]).toEqual([true, true])
  await page.context().close()
})

describe('second factors', () => {
  it('adds an authenticator app, and removes it again', async () => {
    const user = await makeConfirmed(stage)
    const elsewhere = await signInElsewhere(user)
    const page = await open(user)
    await page.goto('/settings?tab=security')
    await press(page, 'Add Authenticator App')
    await page.getByLabel('Name').fill('My phone')
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
    const secret = (await page.locator('dialog .select-all').textContent()) ?? ''
    // The button that was pressed has left.
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('name')))
      .toBe('code')
    await page.keyboard.type('12')
    await page.keyboard.press('Enter')
    await page.getByText('Enter the six digits').waitFor()
    await page.getByLabel('Code from the app').fill(await codeOf(secret.replaceAll(' ', ''), -1))
    await page.keyboard.press('Enter')
    await expectNotice(page, 'Second factor added')
    await part(page, 'Second factor').getByText('My phone').waitFor()
    expect(await isAlive(elsewhere)).toBe(false)

    const other = await open()
    await other.goto('/auth')
    await sendPassword(other, user)
    await other.getByLabel('Code from My phone').fill(await codeOf(secret.replaceAll(' ', '')))
    await other.keyboard.press('Enter')
    await other.waitForURL('**/dashboard')

    await press(page, 'Remove My phone')
    await press(page, 'Remove')
    await expectNotice(page, 'Second factor removed')
    await part(page, 'Second factor').getByText('Off.').waitFor()
    await page.context().close()
    await other.context().close()
  })

  it('adds a security key that is asked for at the next sign-in', async () => {
    const user = await makeConfirmed(stage)
    const page = await open(user)
    await plugKeyIn(page)
    await page.goto('/settings?tab=security')
    await press(page, 'Add Security Key')
    await page.getByLabel('Name').fill('Blue key')
    await page.keyboard.press('Enter')
    await expectNotice(page, 'Second factor added')
    await part(page, 'Second factor').getByText('Security key, since').waitFor()
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await press(page, 'Sign Out')
    await page.waitForURL(`${stage.server.url}/`)
    await page.goto('/auth')
    await sendPassword(page, user)
    await press(page, 'Use Security Key')
    await page.waitForURL('**/dashboard')
    await page.context().close()
  })
})

it('links a provider and unlinks it again', async () => {
  const user = await makeConfirmed(stage)
  google.person = { sub: user.id, email: user.email, email_verified: true, name: 'Gina' }
  const page = await open(user)
  await page.goto('/settings?tab=security')
  await press(page, 'Link Google')
  await page.waitForURL('**/settings?tab=security')
  await press(page, 'Unlink Google')
  await press(page, 'Unlink')
  await expectNotice(page, 'Sign-in unlinked')
  await page.getByRole('button', { name: 'Link Google' }).waitFor()
  await page.context().close()
})

describe('sessions and activity', () => {
  it('ends one session, then all other sessions, and never this one', async () => {
    const user = await makeConfirmed(stage)
    const [first, second, third] = [
      await signInElsewhere(user),
      await signInElsewhere(user),
      await signInElsewhere(user),
    ]
    const page = await open(user)
    await page.goto('/settings?tab=security')
    const sessions = part(page, 'Active sessions')
    await sessions.getByText('This device.').waitFor()
    await expect.poll(() => sessions.getByRole('listitem').count()).toBe(4)
    await sessions
      .getByRole('button', { name: /^Sign out/ })
      .first()
      .click()
    await expectNotice(page, 'Signed out there')
    const alive = await Promise.all([first, second, third].map(isAlive))
    expect(alive.filter(Boolean)).toHaveLength(2)
    await press(page, 'Sign Out Everywhere Else')
    await expectNotice(page, 'Signed out everywhere else')
    await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1)
    expect(await Promise.all([first, second, third].map(isAlive))).toEqual([false, false, false])
    expect(await isAlive(user.accessToken)).toBe(true)
    await part(page, 'Recent activity').getByText('Signed out of another device').first().waitFor()
    await page.context().close()
  })

  it('tells wrong passwords in a row as one line, with each of them on demand', async () => {
    const user = await makeConfirmed(stage)
    const before = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
    const event = (id: number, minutes: number, name = 'sign-in failed') => ({
      id: String(id),
      at: before(minutes),
      event: name,
      address: '203.0.113.9',
      user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
    })
    const page = await open(user)
    await page.route('**/auth/v1/user/events', (route) =>
      route.fulfill({
        json: [
          event(1, 1, 'sign-in'),
          event(2, 2),
          event(3, 3),
          event(4, 10),
          event(5, 11),
          event(6, 60),
        ],
      }),
    )
    await page.goto('/settings?tab=security')
    const activity = part(page, 'Recent activity')
    await activity.getByText('4 failed sign-ins').waitFor()
    await expect.poll(() => activity.getByText('Sign-in with a wrong password').count()).toBe(1)
    const group = activity.getByRole('listitem').filter({ hasText: '4 failed sign-ins' })
    await expect.poll(() => group.getByText('203.0.113.9').first().isVisible()).toBe(false)
    await group.getByText('Show each').click()
    await expect
      .poll(() => group.getByRole('listitem').filter({ hasText: 'Firefox on Linux' }).count())
      .toBe(4)
    await page.context().close()
  })

  it('says when they cannot be loaded, and tries again', async () => {
    const page = await open(await makeConfirmed(stage))
    const path = '**/auth/v1/user/sessions'
    await page.route(path, () => {})
    await page.goto('/settings?tab=security')
    await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor()
    await look(page, 'settings-loading')
    await page.unroute(path)
    await page.route(path, (route) => route.fulfill({ status: 404, json: {} }))
    await page.reload()
    const sessions = part(page, 'Active sessions')
    await sessions.getByRole('alert').getByText('Failed to load your sessions').waitFor()
    await look(page, 'settings-failed')
    await page.unroute(path)
    await sessions.getByRole('button', { name: 'Try Again' }).click()
    await sessions.getByText('This device.').waitFor()
    await page.context().close()
  })
})

describe("one's data", () => {
  it('comes as one JSON file', async () => {
    const user = await makeConfirmed(stage)
    await makeLink(stage.server, user, { original_url: 'https://example.com/mine' })
    const page = await open(user)
    await page.goto('/settings?tab=account')
    const waiting = page.waitForEvent('download')
    await press(page, 'Download JSON')
    const download = await waiting
    expect(download.suggestedFilename()).toBe('hoplet-export.json')
    const file = JSON.parse(await readFile(await download.path(), 'utf8')) as {
      account: { email: string }
      links: { original_url: string }[]
    }
    expect(file.account.email).toBe(user.email)
    expect(file.links).toMatchObject([{ original_url: 'https://example.com/mine' }])
    await page.context().close()
  })

  it('is deleted with the account, once the address was typed', { tags: ['gate'] }, async () => {
    const user = await makeConfirmed(stage)
    const page = await open(user)
    await page.goto('/settings?tab=account')
    await press(page, 'Delete Account')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Your email').fill('no')
    await dialog.getByRole('button', { name: 'Delete Account' }).click()
    await dialog.getByText(`Type ${user.email} to confirm`).last().waitFor()
    expect(await isAlive(user.accessToken)).toBe(true)
    await dialog.getByLabel('Your email').fill(user.email)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${stage.server.url}/`)
    await expectNotice(page, 'Account deleted')
    expect(await isAlive(user.accessToken)).toBe(false)
    await page.context().close()
  })

  it('asks for the password when the sign-in is a while ago', async () => {
    const user = await makeConfirmed(stage)
    await stage.server.sql(
      "update auth.sessions set created_at = now() - interval '1 hour' where user_id = $1",
      [user.id],
    )
    const page = await open(user)
    await page.goto('/settings?tab=account')
    await press(page, 'Delete Account')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Your email').fill(user.email)
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Password', { exact: true }).fill('wrong horse 42')
    await page.keyboard.press('Enter')
    await expectNotice(page, 'Your account was not deleted', 'Invalid login credentials')
    await dialog.getByLabel('Password', { exact: true }).fill(user.password)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${stage.server.url}/`)
    await page.context().close()
  })
})

describe('the screens', () => {
  const tabs = [
    ['profile', 'New email'],
    ['security', 'This device.'],
    ['domains', 'No domains'],
    ['apps', 'No connected apps'],
    ['api-keys', 'No API keys'],
    ['webhooks', 'No webhooks'],
    ['account', 'Export your data'],
  ] as const
  for (const theme of ['light', 'dark'] as const) {
    for (const width of widthsOf(theme)) {
      it(`are accessible and do not scroll sideways: ${theme}, ${width} px`, async () => {
        const user = await makeConfirmed(stage)
        const page = await open(user, { theme, width })
        for (const [tab, ready] of tabs) {
          await page.goto(`/settings?tab=${tab}`)
          await page.getByText(ready).first().waitFor()
          await look(`settings-${tab}`)
        }
        await press(page, 'Delete Account')
        await look('settings-delete')
        await page.goto('/settings?tab=security')
        await press(page, 'Add Authenticator App')
        await press(page, 'Continue')
        await page.getByLabel('Code from the app').waitFor()
        await look('settings-authenticator')
        await page.context().close()

        async function look(name: string) {
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
      })
    }
  }
})

it('the screen of settings shows the second factors of an account that has one', async () => {
  const user = await makeConfirmed(stage)
  const secret = await addTotp(stage.server, user)
  const page = await open()
  await page.goto('/auth')
  await sendPassword(page, user)
  await page.getByLabel(/^(Code from|Emailed code|Texted code)/).fill(await codeOf(secret))
  await page.keyboard.press('Enter')
  await page.waitForURL('**/dashboard')
  await page.goto('/settings?tab=security')
  await part(page, 'Second factor').getByText('Authenticator app, since').waitFor()
  await page.context().close()
})
