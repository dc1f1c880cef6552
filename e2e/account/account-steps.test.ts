/** @module-tag extended */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makePerson, type Person } from '#test/auth/official-calls/world.ts'
import { newEmail, officialAdmin, officialClient } from '#test/auth/requests.ts'
import { codeOf } from '#test/auth/factors/second-factor.ts'
import { newPhone } from '#test/auth/stand-ins/sms.ts'
import type { TestUser } from '#test/factories.ts'
import { plugKeyIn } from '../account-factors.ts'
import { sendPassword } from '../account-stage.ts'
import { expectNotice, openPage, type Visit } from '../browser.ts'
import { look } from '../look.ts'
import { type OutsideStage, setOutsideStage } from '../outside-stage.ts'

let stage: OutsideStage
setOutsideStage((ready) => {
  stage = ready
})

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { name })
const wrongFor = (code: string) => (code === '123456' ? '654321' : '123456')

async function open(session?: TestUser['session'], visit: Visit = {}): Promise<Page> {
  const user = session && { user: { session } }
  return openPage(stage.browser, stage.server.url, { ...visit, ...user })
}

const makeSomebody = () => makePerson({ admin: officialAdmin(stage.server) })

async function sessionOf({ email, password }: Person) {
  const { data } = await officialClient(stage.server).signInWithPassword({ email, password })
  if (!data.session) throw new Error('no session')
  return data.session
}

/** As if the last sign-in had been so many hours ago. */
const age = (id: string, hours: number) =>
  stage.server.sql(
    'update auth.sessions set created_at = now() - make_interval(hours => $2) where user_id = $1',
    [id, hours],
  )

describe('a phone as second factor', () => {
  it('is added by a code that is sent to it, and asked for at the next sign-in', async () => {
    const person = await makeSomebody()
    const { sms } = stage.outside
    const phone = newPhone()
    const page = await open(await sessionOf(person))
    await page.goto('/settings?tab=security')
    await press(page, 'Add Phone')
    await page.getByLabel('Phone number').fill('12')
    await page.keyboard.press('Enter')
    await page.getByText('Invalid phone number format').waitFor()
    // The operator's gateway is down for a while: trying again is enough.
    sms.status = 503
    await page.getByLabel('Phone number').fill(phone)
    await page.keyboard.press('Enter')
    await page.getByText('The text message could not be sent').waitFor()
    await look(page, 'phone-not-sent')
    sms.status = 200
    await page.keyboard.press('Enter')
    await page.getByLabel('Texted code').and(page.locator(':focus')).waitFor()
    const code = await sms.codeFor(phone, 2)
    await page.getByLabel('Texted code').fill(wrongFor(code))
    await page.keyboard.press('Enter')
    await page.getByText('That code is not right').first().waitFor()
    await look(page, 'phone-wrong-code')
    await page.getByLabel('Texted code').fill(code)
    await page.keyboard.press('Enter')
    await expectNotice(page, 'Second factor added')
    await page.getByRole('button', { name: `Remove ${phone}` }).waitFor()
    await page.context().close()

    const other = await open()
    await other.goto('/auth')
    await sendPassword(other, person)
    await other.getByText(`We send a code to ${phone}.`).waitFor()
    await look(other, 'phone-step')
    await stage.server.sql(
      `update auth.factors set last_challenged_at = now() - interval '2 minutes'`,
    )
    await press(other, 'Send Code')
    const next = await sms.codeFor(phone, 3)
    await press(other, 'Send Another Code')
    await expectNotice(
      other,
      'For security purposes, you can only request another code by text message after',
    )
    await other.getByLabel('Texted code').fill(next)
    await look(other, 'phone-step-code')
    await other.keyboard.press('Enter')
    await other.waitForURL('**/dashboard')
    await other.context().close()
  })
})

it('the server keeps a security key when its name is given a second time', async () => {
  const page = await open(await sessionOf(await makeSomebody()))
  await plugKeyIn(page)
  await page.goto('/settings?tab=security')
  for (const time of ['first', 'second']) {
    await press(page, 'Add Security Key')
    await page.getByLabel('Name').fill('Blue key')
    await page.keyboard.press('Enter')
    if (time === 'first') await expectNotice(page, 'Second factor added')
  }
  await page.getByText('You have a second factor “Blue key” already').first().waitFor()
  await look(page, 'key-name-taken')
  await page.reload()
  await page.getByText('Security key, since').waitFor()
  await page.context().close()
})

it('the server asks for an emailed code beside a new password, a day after the sign-in', async () => {
  const person = await makeSomebody()
  const page = await open(await sessionOf(person))
  await age(person.id, 25)
  await page.goto('/settings?tab=security')
  await page.getByLabel('New password').fill('a better horse 43')
  await press(page, 'Change Password')
  await expectNotice(page, 'Email sent')
  const { code } = await stage.outside.mailFor(person.email)
  await page.getByLabel('Emailed code').fill(wrongFor(code))
  await page.keyboard.press('Enter')
  await page.getByText('That code is not right').last().waitFor()
  await look(page, 'password-code')
  await page.getByLabel('Emailed code').fill(code)
  await page.keyboard.press('Enter')
  await expectNotice(page, 'Password changed')
  expect(await sessionOf({ ...person, password: 'a better horse 43' })).toBeDefined()
  await page.context().close()
})

it('the server lets an invited person in, who sets a password', async () => {
  const email = newEmail()
  await officialAdmin(stage.server).inviteUserByEmail(email)
  const { link } = await stage.outside.mailFor(email)
  const page = await open()
  await page.goto(link)
  await look(page, 'invitation')
  await press(page, 'Accept the invitation')
  await heading(page, 'Set a new password').waitFor()
  await page.getByText(`For ${email}`).waitFor()
  await look(page, 'invitation-password')
  await page.getByLabel('New password').fill('my first horse 41')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/dashboard')
  await page.context().close()

  const other = await open()
  await other.goto('/auth')
  await sendPassword(other, { email, password: 'my first horse 41' })
  await other.waitForURL('**/dashboard')
  await other.context().close()
})

it('the server asks an admin for password and second factor, a while after the sign-in', async () => {
  const person = await makeSomebody()
  const target = await makeSomebody()
  await stage.server.sql(`update app.user_roles set role = 'admin' where user_id = $1`, [person.id])
  const client = officialClient(stage.server)
  await client.signInWithPassword(person)
  const { data: factor } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'My app' })
  const secret = factor?.totp.secret ?? ''
  const enrolled = { factorId: factor?.id ?? '', code: await codeOf(secret, -1) }
  await client.mfa.challengeAndVerify(enrolled)
  const { data } = await client.getSession()
  await age(person.id, 1)
  const page = await open(data.session ?? undefined)
  await page.goto(`/admin/users?q=${target.email}`)
  await page.getByRole('button', { name: `Edit ${target.email}` }).click()
  await page.getByLabel('Role').selectOption('admin')
  await press(page, 'Save Changes')
  const again = page.getByRole('dialog', { name: 'Please sign in again to confirm this.' })
  await again.getByLabel('Password').fill(person.password)
  await page.keyboard.press('Enter')
  await again.getByLabel('Code from My app').and(page.locator(':focus')).waitFor()
  const roleOfTarget = () =>
    stage.server.sql('select role from app.user_roles where user_id = $1', [target.id])
  expect(await roleOfTarget()).toEqual([{ role: 'user' }])
  await look(page, 'admin-second-factor')
  await again.getByLabel('Code from My app').fill(await codeOf(secret))
  await page.keyboard.press('Enter')
  await expectNotice(page, 'User updated successfully')
  expect(await roleOfTarget()).toEqual([{ role: 'admin' }])
  await page.context().close()
})

describe('deleting an account that has no password', () => {
  async function comeInByGoogle() {
    const email = newEmail()
    const { google } = stage.outside
    google.person = { sub: email, email, email_verified: true, name: 'Gina Google' }
    const page = await open()
    await page.goto('/auth')
    await press(page, 'Continue with Google')
    await page.waitForURL('**/dashboard')
    const rows = await stage.server.sql<{ id: string }>(
      'select id from auth.users where email = $1 and encrypted_password is null',
      [email],
    )
    const askToDelete = async () => {
      await page.goto('/settings?tab=account')
      await press(page, 'Delete Account')
      await page.getByRole('dialog').getByLabel('Your email').fill(email)
      await page.keyboard.press('Enter')
    }
    return { page, id: rows[0]?.id ?? '', askToDelete }
  }

  const isThere = async (id: string) =>
    (await stage.server.sql('select 1 from auth.users where id = $1', [id])).length === 1

  it('takes the address alone, right after the sign-in', async () => {
    const { page, id, askToDelete } = await comeInByGoogle()
    expect(await isThere(id)).toBe(true)
    await askToDelete()
    await page.waitForURL(`${stage.server.url}/`)
    await expectNotice(page, 'Account deleted')
    expect(await isThere(id)).toBe(false)
    await page.context().close()
  })

  it('wants another sign-in a while after it, and asks for no password', async () => {
    const { page, id, askToDelete } = await comeInByGoogle()
    await age(id, 1)
    await askToDelete()
    const words = 'For your security, sign out and in again, then come back.'
    await page.getByRole('dialog').getByText(words).waitFor()
    await expect.poll(() => page.getByLabel('Password', { exact: true }).count()).toBe(0)
    await look(page, 'delete-no-password')
    expect(await isThere(id)).toBe(true)
    await page.context().close()
  })
})
