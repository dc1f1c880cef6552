/** @module-tag extended */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { askFor, makeApp, pkcePair } from '#test/auth/oauth/oauth-app.ts'
import { codeOf } from '#test/auth/factors/second-factor.ts'
import { addTotp } from '../account-factors.ts'
import {
  type AccountStage,
  mailTo,
  makeConfirmed,
  newEmail,
  sendPassword,
  setAccountStage,
} from '../account-stage.ts'
import { openPage } from '../browser.ts'

let stage: AccountStage
setAccountStage((ready) => {
  stage = ready
})

/** A page that keeps a list of the headings that got the focus: a screen reader announces those. */
async function open(): Promise<Page> {
  const page = await openPage(stage.browser, stage.server.url)
  await page.addInitScript(() => {
    const told: string[] = []
    Object.assign(window, { told })
    document.addEventListener('focusin', ({ target }) => {
      if (target instanceof HTMLHeadingElement) told.push(target.textContent)
    })
  })
  return page
}

const told = (page: Page) => page.evaluate(() => (window as unknown as { told: string[] }).told)

/** The heading of the new step has the focus. */
async function expectStep(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).and(page.locator(':focus')).waitFor()
}

/** By keyboard: Tab until it is there, from where the focus is. */
async function tabTo(page: Page, name: string): Promise<void> {
  const main = page.getByRole('main')
  const there = main
    .getByRole('button', { name, exact: true })
    .or(main.getByRole('link', { name, exact: true }))
  await there.waitFor()
  const wanted = there.and(page.locator(':focus'))
  for (let i = 0; i < 20; i++) {
    await page.keyboard.press('Tab')
    if ((await wanted.count()) === 1) return
  }
  throw new Error(`Tab does not lead to ${name}`)
}

it('the page tells each step of signing up and in to people who have only a keyboard', async () => {
  const page = await open()
  await page.goto('/auth')
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
  // The page itself has just been told.
  expect(await told(page)).toEqual([])
  // Not the button of the form: the toggle below it.
  const toggle = page
    .getByRole('main')
    .getByRole('button', { name: /^Sign (In|Up)$/ })
    .last()
  await toggle.press('Enter')
  await expectStep(page, 'Create your account')
  await toggle.press('Enter')
  await expectStep(page, 'Welcome back')
  await toggle.press('Enter')
  await expectStep(page, 'Create your account')
  await page.keyboard.press('Tab')
  await page.keyboard.type(newEmail())
  await page.getByLabel('Password', { exact: true }).fill('correct horse 42')
  await page.keyboard.press('Enter')
  await expectStep(page, 'Confirm your email')
  await tabTo(page, 'Back to Sign In')
  await page.keyboard.press('Enter')
  await expectStep(page, 'Welcome back')
  await tabTo(page, 'Email me a sign-in link')
  await page.keyboard.press('Enter')
  await expectStep(page, 'Sign in by email')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expectStep(page, 'Look into your mailbox')
  expect(await told(page)).toEqual([
    'Create your account',
    'Welcome back',
    'Create your account',
    'Confirm your email',
    'Welcome back',
    'Sign in by email',
    'Look into your mailbox',
  ])
  await page.context().close()
})

it('the page tells each step of a new password, with the second factor in between', async () => {
  const user = await makeConfirmed(stage)
  const secret = await addTotp(stage.server, user)
  const page = await open()
  await page.goto('/auth')
  await tabTo(page, 'Forgot your password?')
  await page.keyboard.press('Enter')
  await expectStep(page, 'Forgot your password?')
  await page.keyboard.press('Tab')
  await page.keyboard.type(user.email)
  await page.keyboard.press('Enter')
  await expectStep(page, 'Look into your mailbox')
  await page.keyboard.press('Tab')
  await page.keyboard.type((await mailTo(stage, user.email, 'recovery')).code)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'One more step' }).waitFor()
  await page
    .getByLabel(/^(Code from|Emailed code|Texted code)/)
    .and(page.locator(':focus'))
    .waitFor()
  await page.keyboard.type(await codeOf(secret))
  await page.keyboard.press('Enter')
  await expectStep(page, 'Set a new password')
  expect(await told(page)).toEqual([
    'Forgot your password?',
    'Look into your mailbox',
    'One more step',
    'Set a new password',
  ])
  await page.context().close()
})

it('the page announces a second factor, the request of an app, and the way back from both', async () => {
  const user = await makeConfirmed(stage)
  const secret = await addTotp(stage.server, user)
  const app = await makeApp(stage.server, { client_name: 'Link Robot' })
  const id = await askFor(stage.server, app, pkcePair())
  const page = await open()
  await page.goto(`/oauth/consent?authorization_id=${id}`)
  await page.waitForURL('**/auth?next=**')
  await sendPassword(page, user)
  await page
    .getByLabel(/^(Code from|Emailed code|Texted code)/)
    .and(page.locator(':focus'))
    .waitFor()
  await tabTo(page, 'Use another account')
  await page.keyboard.press('Enter')
  await expectStep(page, 'Welcome back')
  await sendPassword(page, user)
  await page
    .getByLabel(/^(Code from|Emailed code|Texted code)/)
    .and(page.locator(':focus'))
    .waitFor()
  await page.keyboard.type(await codeOf(secret))
  await page.keyboard.press('Enter')
  await expectStep(page, 'Link Robot wants to act for you')
  await tabTo(page, 'Not you?')
  await page.keyboard.press('Enter')
  await expectStep(page, 'Welcome back')
  expect(await told(page)).toEqual([
    'One more step',
    'Welcome back',
    'One more step',
    'Link Robot wants to act for you',
    'Welcome back',
  ])
  await page.context().close()
})
