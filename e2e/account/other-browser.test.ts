/** @module-tag extended */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type AccountStage, mailTo, makeConfirmed, setAccountStage } from '../account-stage.ts'
import { openPage } from '../browser.ts'
import { look } from '../look.ts'

let stage: AccountStage
setAccountStage((ready) => {
  stage = ready
})

const open = (visit = {}) => openPage(stage.browser, stage.server.url, visit)
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const elsewhere = 'This link belongs to another browser'

/** Asks at the desk; the mail is read on the phone, and its link pressed there. */
async function askHereAndOpenThere(type: 'recovery' | 'magiclink', phoneVisit = {}) {
  const user = await makeConfirmed(stage)
  const desk = await open()
  await desk.goto(type === 'recovery' ? '/auth/forgot' : '/auth')
  if (type === 'magiclink') await press(desk, 'Email me a sign-in link')
  await desk.getByLabel('Email').fill(user.email)
  await press(desk, 'Send Link')
  await heading(desk, 'Look into your mailbox').waitFor()
  const { link, code } = await mailTo(stage, user.email, type)
  const phone = await open(phoneVisit)
  const follow = async (page: Page) => {
    await page.goto(link)
    await press(page, type === 'recovery' ? 'Reset password' : 'Sign in')
  }
  await follow(phone)
  await heading(phone, elsewhere).waitFor()
  const close = () => Promise.all([desk, phone].map((page) => page.context().close()))
  return { user, desk, phone, link, code, follow, close }
}

it('the phone names the next step at the desk, where the recovery link then works', async () => {
  const { desk, phone, link, follow, close } = await askHereAndOpenThere('recovery')
  await phone.getByText('Type the six-digit code from the email.').waitFor()
  expect(new URL(phone.url()).search).toBe('?opened=elsewhere')
  await look(phone, 'other-browser-recovery')
  await phone.reload()
  await heading(phone, elsewhere).waitFor()

  await follow(desk)
  await heading(desk, 'Set a new password').waitFor()
  expect(new URL(desk.url()).search).toBe('')
  await desk.getByLabel('New password').fill('a better horse 43')
  await press(desk, 'Change Password')
  await desk.waitForURL('**/dashboard')
  // Now it is used.
  await phone.goto(link)
  await heading(phone, 'This link has expired or was already used').waitFor()
  await close()
})

it('the page takes the recovery code at the desk after the link was opened on the phone', async () => {
  const { desk, phone, code, close } = await askHereAndOpenThere('recovery')
  await desk.getByLabel('Emailed code').fill(code)
  await desk.keyboard.press('Enter')
  await heading(desk, 'Set a new password').waitFor()
  await phone.getByRole('link', { name: 'Ask for a New Link' }).click()
  await heading(phone, 'Forgot your password?').waitFor()
  await close()
})

it('the page does not offer a new password for the account that the phone is signed in to', async () => {
  const session = (await makeConfirmed(stage)).session
  const { phone, close } = await askHereAndOpenThere('recovery', { user: { session } })
  await expect.poll(() => phone.getByLabel('New password').count()).toBe(0)
  await close()
})

it('the page lets the code of a sign-in link work at the desk after the link was opened on the phone', async () => {
  const { desk, phone, code, follow, close } = await askHereAndOpenThere('magiclink')
  await look(phone, 'other-browser-sign-in')
  await phone.getByRole('link', { name: 'Sign In Here' }).click()
  await heading(phone, 'Welcome back').waitFor()
  // However often it is pressed there.
  await follow(phone)
  await heading(phone, elsewhere).waitFor()
  await desk.getByLabel('Emailed code').fill(code)
  await desk.keyboard.press('Enter')
  await desk.waitForURL('**/dashboard')
  await close()
})

it('the page keeps apart two browsers that have both asked', async () => {
  const first = await askHereAndOpenThere('recovery')
  const { email } = await makeConfirmed(stage)
  await first.phone.goto('/auth/forgot')
  await first.phone.getByLabel('Email').fill(email)
  await press(first.phone, 'Send Link')
  await heading(first.phone, 'Look into your mailbox').waitFor()
  await first.follow(first.phone)
  await heading(first.phone, elsewhere).waitFor()
  await first.follow(first.desk)
  await heading(first.desk, 'Set a new password').waitFor()
  await first.close()
})
