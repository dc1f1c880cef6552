import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeOf, wrongCode } from '#test/auth/factors/second-factor.ts'
import { type Google, startGoogle } from '#test/auth/stand-ins/google.ts'
import { addTotp } from '../account-factors.ts'
import {
  type AccountStage,
  mailTo,
  makeConfirmed,
  newEmail,
  sendPassword,
  setAccountStage,
} from '../account-stage.ts'
import { expectAccessible, expectNotice, openPage, widthsOf } from '../browser.ts'

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

const open = (visit = {}) => openPage(stage.browser, stage.server.url, visit)
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

describe('signing up where addresses are confirmed', () => {
  async function signUp(page: Page): Promise<string> {
    const email = newEmail()
    await page.goto('/auth?mode=sign-up')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('correct horse 42')
    await page.getByRole('main').getByRole('button', { name: 'Sign Up' }).first().click()
    await expectNotice(page, 'Account Created!', 'Open the link in our email')
    await heading(page, 'Confirm your email').waitFor()
    await page.getByText(email).waitFor()
    return email
  }

  it('signs in the person who follows the link in the same browser', async () => {
    const page = await open()
    const email = await signUp(page)
    await page.goto((await mailTo(stage, email, 'signup')).link)
    await press(page, 'Confirm email address')
    await page.waitForURL('**/dashboard')
    await expectNotice(page, 'Welcome back!', 'Successfully logged in')
    expect(new URL(page.url()).search).toBe('')
    await page.context().close()
  })

  it(
    'takes the code when the email is read on another device, and says when it is wrong',
    { tags: ['extended'] },
    async () => {
      const page = await open()
      const email = await signUp(page)
      const { code } = await mailTo(stage, email, 'signup')
      await page.getByLabel('Emailed code').fill('12')
      await page.keyboard.press('Enter')
      await page.getByText('Enter the six digits').waitFor()
      await page.getByLabel('Emailed code').fill(code === '000000' ? '111111' : '000000')
      await page.keyboard.press('Enter')
      await page.getByText('Token has expired or is invalid').waitFor()
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('name')))
        .toBe('code')
      await page.getByLabel('Emailed code').fill(code)
      await page.keyboard.press('Enter')
      await page.waitForURL('**/dashboard')
      await expectNotice(page, 'Welcome back!', 'Successfully logged in')
      await page.context().close()
    },
  )

  it(
    'tells a person who follows the link in another browser that they can log in',
    { tags: ['extended'] },
    async () => {
      const page = await open()
      const email = await signUp(page)
      const other = await open()
      await other.goto((await mailTo(stage, email, 'signup')).link)
      await press(other, 'Confirm email address')
      await expectNotice(other, 'Email confirmed', 'You can now log in')
      await sendPassword(other, { email, password: 'correct horse 42' })
      await other.waitForURL('**/dashboard')
      await page.context().close()
      await other.context().close()
    },
  )

  it('is confirmed in another browser by the email that was sent again too', async () => {
    const page = await open()
    const email = await signUp(page)
    await press(page, 'Send the Email Again')
    await expectNotice(page, 'Email sent')
    const other = await open()
    await other.goto((await mailTo(stage, email, 'signup', 2)).link)
    await press(other, 'Confirm email address')
    await expectNotice(other, 'Email confirmed', 'You can now log in')
    await page.context().close()
    await other.context().close()
  })

  it(
    'offers the email again, also to people who sign in too early',
    { tags: ['extended'] },
    async () => {
      const page = await open()
      const email = await signUp(page)
      await mailTo(stage, email, 'signup')
      await press(page, 'Back to Sign In')
      await sendPassword(page, { email, password: 'correct horse 42' })
      await expectNotice(page, 'Login Failed', 'Email not confirmed')
      await heading(page, 'Confirm your email').waitFor()
      await press(page, 'Send the Email Again')
      await expectNotice(page, 'Email sent')
      const { link } = await mailTo(stage, email, 'signup', 2)
      await page.goto(link)
      await press(page, 'Confirm email address')
      await page.waitForURL('**/dashboard')
      await page.context().close()
    },
  )
})

describe('a forgotten password', () => {
  async function ask(page: Page, email: string): Promise<string | null> {
    await page.goto('/auth')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await heading(page, 'Forgot your password?').waitFor()
    await page.getByLabel('Email').fill(email)
    await press(page, 'Send Link')
    await heading(page, 'Look into your mailbox').waitFor()
    return page.getByRole('main').textContent()
  }

  it('is answered alike whether there is an account or not', { tags: ['extended'] }, async () => {
    const { email } = await makeConfirmed(stage)
    const page = await open()
    const known = await ask(page, email)
    expect(await ask(page, newEmail())).toBe(known)
    await page.context().close()
  })

  it('is replaced by a new one after the link', async () => {
    const { email } = await makeConfirmed(stage)
    const page = await open()
    await ask(page, email)
    await page.goto((await mailTo(stage, email, 'recovery')).link)
    await press(page, 'Reset password')
    await heading(page, 'Set a new password').waitFor()
    await page.getByLabel('New password').fill('12345')
    await press(page, 'Change Password')
    await expectNotice(page, 'Validation Error', 'Password must be at least 6 characters')
    await page.getByLabel('New password').fill('a better horse 43')
    await press(page, 'Change Password')
    await page.waitForURL('**/dashboard')
    await expectNotice(page, 'Password changed')

    const other = await open()
    await other.goto('/auth')
    await sendPassword(other, { email, password: 'correct horse 42' })
    await expectNotice(other, 'Login Failed', 'Invalid login credentials')
    await sendPassword(other, { email, password: 'a better horse 43' })
    await other.waitForURL('**/dashboard')
    await page.context().close()
    await other.context().close()
  })

  it('is replaced by a new one after the code', { tags: ['extended'] }, async () => {
    const { email } = await makeConfirmed(stage)
    const page = await open()
    await ask(page, email)
    await page.getByLabel('Emailed code').fill((await mailTo(stage, email, 'recovery')).code)
    await press(page, 'Continue')
    await heading(page, 'Set a new password').waitFor()
    await page.context().close()
  })

  it('needs the second factor if the account has one', { tags: ['extended'] }, async () => {
    const user = await makeConfirmed(stage)
    const secret = await addTotp(stage.server, user)
    const page = await open()
    await ask(page, user.email)
    const { link } = await mailTo(stage, user.email, 'recovery')
    await page.goto(link)
    await press(page, 'Reset password')
    await heading(page, 'One more step').waitFor()
    await page.getByLabel(/^(Code from|Emailed code|Texted code)/).fill(await codeOf(secret))
    await press(page, 'Continue')
    await page.getByLabel('New password').fill('a better horse 43')
    await press(page, 'Change Password')
    await page.waitForURL('**/dashboard')
    await page.context().close()
  })

  it('has a link that works once, and says so afterwards', { tags: ['extended'] }, async () => {
    const { email } = await makeConfirmed(stage)
    const page = await open()
    await ask(page, email)
    const { link } = await mailTo(stage, email, 'recovery')
    await page.goto(link)
    await press(page, 'Reset password')
    await heading(page, 'Set a new password').waitFor()
    const other = await open()
    await other.goto(link)
    await other.getByText('This link has expired or was already used').first().waitFor()
    await other.goto('/auth/reset')
    await heading(other, 'This link no longer works').waitFor()
    await other.getByRole('link', { name: 'Ask for a New Link' }).click()
    await heading(other, 'Forgot your password?').waitFor()
    await page.context().close()
    await other.context().close()
  })
})

it('the server signs a person in with a link by email', async () => {
  const { email } = await makeConfirmed(stage)
  const page = await open()
  await page.goto('/auth')
  await press(page, 'Email me a sign-in link')
  await page.getByLabel('Email').fill(email)
  await press(page, 'Send Link')
  await heading(page, 'Look into your mailbox').waitFor()
  await page.goto((await mailTo(stage, email, 'magiclink')).link)
  await press(page, 'Sign in')
  await page.waitForURL('**/dashboard')
  await expectNotice(page, 'Welcome back!', 'Successfully logged in')
  await page.context().close()
})

it(
  'the server signs a person in while the server does not say which other ways in it has',
  { tags: ['extended'] },
  async () => {
    const { email, password } = await makeConfirmed(stage)
    const page = await open()
    await page.route('**/auth/v1/settings', () => {})
    await page.goto('/auth')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await press(page, 'Sign In')
    await page.waitForURL('**/dashboard')
    await page.context().close()
  },
)

it(
  'the server asks for another try when two tabs have begun a sign-in with a provider',
  { tags: ['extended'] },
  async () => {
    google.person = { sub: 'g-2', email: 'tabs@gmail.test', email_verified: true, name: 'Tabs' }
    const page = await open()
    const beside = await page.context().newPage()
    await beside.goto('/auth')
    await page.goto('/auth')
    const hasLeft = new Promise<void>((resolve) => {
      void beside.route('**/auth/v1/authorize?*', () => resolve())
    })
    await page.route('**/auth/v1/authorize?*', async (route) => {
      await beside.getByRole('button', { name: 'Continue with Google' }).dispatchEvent('click')
      await hasLeft
      await route.continue()
    })
    await press(page, 'Continue with Google')
    await expectNotice(page, 'Login Failed', 'Please try again.')
    await heading(page, 'Welcome back').waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.unroute('**/auth/v1/authorize?*')
    await press(page, 'Continue with Google')
    await page.waitForURL('**/dashboard')
    await page.context().close()
  },
)

it('the server signs a person in with a provider, and shows the error when they refuse', async () => {
  google.person = { sub: 'g-1', email: 'gina@gmail.test', email_verified: true, name: 'Gina' }
  const page = await open()
  await page.goto('/auth')
  await press(page, 'Continue with Google')
  await page.waitForURL('**/dashboard')
  await expectNotice(page, 'Welcome back!', 'Successfully logged in')
  await page.context().close()

  const other = await open()
  // The provider's answer when the person says no there.
  await other.route('**/auth/v1/authorize?*', async (route) => {
    const response = await route.fetch({ maxRedirects: 0 })
    const headers = response.headers()
    const state = new URL(headers['location'] ?? '').searchParams.get('state') ?? ''
    const answer = new URLSearchParams({ error: 'access_denied', state, iss: google.url })
    const location = `${stage.server.url}/auth/v1/callback?${answer}`
    await route.fulfill({ response, headers: { ...headers, location } })
  })
  await other.goto('/auth')
  await press(other, 'Continue with Google')
  await expectNotice(other, 'Login Failed', 'The sign-in with Google was canceled.')
  expect(new URL(other.url()).search).toBe('')
  await other.context().close()
})

it.each([
  ['/auth', 'bad_oauth_state', 'Login Failed'],
  ['/auth', 'otp_expired', 'This link did not work'],
  ['/settings?tab=security', 'identity_already_exists', 'The sign-in was not linked'],
  ['/settings?tab=security', 'otp_expired', 'This link did not work'],
])('the server says at %s by %s the reason of the failure: %s', async (address, code, title) => {
  const { session } = await makeConfirmed(stage)
  const page = await open(address === '/auth' ? {} : { user: { session } })
  const query = new URLSearchParams({ error: 'x', error_code: code, error_description: 'Why.' })
  await page.goto(`${address}${address.includes('?') ? '&' : '?'}${query}`)
  await expectNotice(page, title, 'Why.')
  await page.context().close()
})

describe('a second factor', () => {
  it('is asked for after the password, and no screen opens before', async () => {
    const user = await makeConfirmed(stage)
    const secret = await addTotp(stage.server, user)
    const page = await open()
    await page.goto('/auth')
    await sendPassword(page, user)
    await heading(page, 'One more step').waitFor()
    await page.goto('/dashboard')
    await page.waitForURL(/\/auth(\?|$)/)
    await heading(page, 'One more step').waitFor()
    await page.getByLabel(/^(Code from|Emailed code|Texted code)/).fill(await wrongCode(secret))
    await page.keyboard.press('Enter')
    await page.getByText('That code is not right').waitFor()
    await page.getByLabel(/^(Code from|Emailed code|Texted code)/).fill(await codeOf(secret))
    await page.keyboard.press('Enter')
    await page.waitForURL('**/dashboard')
    await expectNotice(page, 'Welcome back!', 'Successfully logged in')
    await page.getByRole('heading', { name: 'My Links' }).waitFor()
    await page.context().close()
  })

  it(
    'is asked for after a mailed code too, and only then is there a welcome',
    { tags: ['extended'] },
    async () => {
      const user = await makeConfirmed(stage)
      const secret = await addTotp(stage.server, user)
      const page = await open()
      await page.goto('/auth')
      await press(page, 'Email me a sign-in link')
      await page.getByLabel('Email').fill(user.email)
      await press(page, 'Send Link')
      const { code } = await mailTo(stage, user.email, 'magiclink')
      await page.getByLabel('Emailed code').fill(code)
      await page.keyboard.press('Enter')
      await heading(page, 'One more step').waitFor()
      await expect.poll(() => page.getByText('Welcome back!').count()).toBe(0)
      await page.getByLabel(/^(Code from|Emailed code|Texted code)/).fill(await codeOf(secret))
      await page.keyboard.press('Enter')
      await page.waitForURL('**/dashboard')
      await expectNotice(page, 'Welcome back!', 'Successfully logged in')
      await page.context().close()
    },
  )

  it('can be left for another account', { tags: ['extended'] }, async () => {
    const user = await makeConfirmed(stage)
    await addTotp(stage.server, user)
    const other = await makeConfirmed(stage)
    const page = await open()
    await page.goto('/auth')
    await sendPassword(page, user)
    await press(page, 'Use another account')
    await sendPassword(page, other)
    await page.waitForURL('**/dashboard')
    await page.context().close()
  })
})

describe('the screens', { tags: ['extended'] }, () => {
  for (const theme of ['light', 'dark'] as const) {
    for (const width of widthsOf(theme)) {
      it(`are accessible and do not scroll sideways: ${theme}, ${width} px`, async () => {
        const user = await makeConfirmed(stage)
        await addTotp(stage.server, user)
        const page = await open({ theme, width })
        await page.goto('/auth')
        await page.getByRole('button', { name: 'Continue with Google' }).waitFor()
        await look('sign-in')
        await press(page, 'Email me a sign-in link')
        await look('sign-in-link')
        await page.goto('/auth/forgot')
        await page.getByLabel('Email').fill(newEmail())
        await look('forgot-password')
        await press(page, 'Send Link')
        await heading(page, 'Look into your mailbox').waitFor()
        await look('mailed-code')
        await page.goto('/auth/reset')
        await heading(page, 'This link no longer works').waitFor()
        await look('reset-dead')
        await page.goto('/auth')
        await sendPassword(page, user)
        await page.getByLabel(/^(Code from|Emailed code|Texted code)/).waitFor()
        await look('second-factor')
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
