/** @module-tag extended */
import type { Browser, Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { codeOf } from '#test/auth/factors/second-factor.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { visit } from '#test/visits/visit.ts'
import { expectStored } from '../analytics-stage.ts'
import { expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { makePopup } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

/** Holds the requests that write back until the returned function is called. */
async function hold(page: Page, url: string): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(url, async (route) => {
    if (['POST', 'PUT', 'PATCH', 'DELETE'].includes(route.request().method())) await released
    await route.continue()
  })
  return release
}

const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true })

async function openLink(user: TestUser): Promise<Page> {
  const link = await makeLink(server, user)
  const page = await openPage(browser, server.url, { user })
  await page.goto(`/links/${link.short_code}`)
  await page.getByText('Send some elsewhere').waitFor()
  return page
}

/** The input that was typed since stays, in a dialog that is still open. */
async function expectKept(field: Locator, value: string): Promise<void> {
  await field.page().waitForTimeout(200)
  expect(await field.inputValue({ timeout: 10_000 })).toBe(value)
}

it('a form of a link that was opened again stays when the first save is answered', async () => {
  const page = await openLink(await makeUser(server))
  const field = page.getByRole('textbox', { name: 'Redirect URL' })
  const edit = page.locator('main button[aria-keyshortcuts="e"]')
  await edit.click()
  await field.fill('https://example.com/first')
  const answer = await hold(page, '**/rest/v1/shortened_urls*')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await edit.click()
  await field.fill('https://example.com/typed')
  answer()
  await expectNotice(page, 'Updated!')
  await expectKept(field, 'https://example.com/typed')
  await page.context().close()
})

it('a title that is typed again stays when the first one is saved', async () => {
  const page = await openLink(await makeUser(server))
  const field = page.getByRole('textbox', { name: 'Title' })
  const begin = page.getByRole('button', { name: 'Add a title' })
  await begin.click()
  await field.fill('First')
  const answer = await hold(page, '**/rest/v1/shortened_urls*')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await begin.click()
  await field.fill('Typed')
  answer()
  await expectNotice(page, 'Title saved')
  await expectKept(field, 'Typed')
  await page.context().close()
})

it('rules that are edited again stay when the first save is answered', async () => {
  const page = await openLink(await makeUser(server))
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const address = page.getByRole('textbox', { name: 'Address', exact: true })
  const addRule = async () => {
    await press('Send some elsewhere')
    const rule = page.getByRole('group', { name: 'Rule 1' })
    await rule.getByLabel('If', { exact: true }).selectOption('App')
    await rule.getByRole('button', { name: 'Instagram' }).click()
    await address.fill('https://example.com/rule')
  }
  await addRule()
  const answer = await hold(page, '**/rpc/save_link_rules')
  await press('Save rules')
  await press('Cancel')
  await inDialog(page, 'Discard').click()
  await addRule()
  answer()
  await expectNotice(page, 'Rules saved')
  await expectKept(address, 'https://example.com/rule')
  await page.context().close()
})

it('a note on another day stays when the one before is saved', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const link = await makeLink(server, user)
  await visit(server.url, `/${link.short_code}`)
  await expectStored(server, user, 1)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/analytics')
  const text = page.getByRole('dialog', { name: 'Note' }).getByLabel('Text')
  await page.getByRole('button', { name: 'Note', exact: true }).click()
  await text.fill('First')
  const answer = await hold(page, '**/rest/v1/day_notes*')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Note', exact: true }).click()
  await text.fill('Typed')
  answer()
  await expectNotice(page, 'Note saved')
  await expectKept(text, 'Typed')
  await page.context().close()
})

it('a new link that is ready late leaves the screen and the composer that were opened since', async () => {
  const user = await makeUser(server)
  await makeLink(server, user)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/dashboard')
  await page.getByRole('article').waitFor()
  const destination = page.getByRole('textbox', { name: 'Destination' })
  await page.keyboard.press('n')
  await destination.fill('https://example.com/first')
  const answer = await hold(page, '**/rest/v1/shortened_urls*')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Help' }).click()
  await page.waitForURL('**/help')
  await page.keyboard.press('n')
  await destination.fill('https://example.com/typed')
  answer()
  await expectNotice(page, '✨ URL Shortened!')
  await expectKept(destination, 'https://example.com/typed')
  expect(new URL(page.url()).pathname).toBe('/help')
  await page.context().close()
})

it('a composer that was closed before its answer is empty afterwards', async () => {
  const page = await openPage(browser, server.url, { user: await makeUser(server) })
  await page.goto('/help')
  await page.getByText('Shortcuts').first().waitFor()
  const destination = page.getByRole('textbox', { name: 'Destination' })
  await page.keyboard.press('n')
  await destination.fill('https://example.com/first')
  const answer = await hold(page, '**/rest/v1/shortened_urls*')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await destination.waitFor({ state: 'detached' })
  answer()
  await expectNotice(page, '✨ URL Shortened!')
  await page.keyboard.press('n')
  await expectKept(destination, '')
  await page.context().close()
})

it('a composer that is opened again while its link is being made does not make it twice', async () => {
  const user = await makeUser(server)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/help')
  await page.getByText('Shortcuts').first().waitFor()
  const destination = page.getByRole('textbox', { name: 'Destination' })
  await page.keyboard.press('n')
  await destination.fill('https://example.com/once')
  const answer = await hold(page, '**/rest/v1/shortened_urls*')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await destination.waitFor({ state: 'detached' })
  await page.keyboard.press('n')
  await destination.press('Enter')
  answer()
  await page.waitForURL('**/dashboard')
  await page.getByRole('article').waitFor()
  await page.waitForTimeout(200)
  const made = await server.sql('select from app.shortened_urls where user_id = $1', [user.id])
  expect(made.length).toBe(1)
  await page.context().close()
})

it('a question about another row stays when the deletion before is answered', async () => {
  const user = await makeUser(server)
  for (const title of ['The first', 'The second']) await makePopup(server, user, { title })
  const page = await openPage(browser, server.url, { user })
  await page.goto('/my-popups')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Delete The first' }).click()
  const answer = await hold(page, '**/rest/v1/popups*')
  await inDialog(page, 'Delete').click()
  await inDialog(page, 'Cancel').click()
  await page.getByRole('button', { name: 'Delete The second' }).click()
  await dialog.getByText('The second').waitFor()
  answer()
  await expectNotice(page, 'Popup deleted successfully')
  await page.getByRole('article', { name: 'The first' }).waitFor({ state: 'detached' })
  await inDialog(page, 'Delete').click()
  await page.getByText('Create Your First Popup').waitFor()
  await page.context().close()
})

it('a question about another key stays when the revocation before is answered', async () => {
  const user = await makeUser(server)
  for (const name of ['first', 'second'])
    await fetch(`${server.url}/auth/v1/user/api-keys`, {
      method: 'POST',
      headers: { ...user.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name, scopes: ['links:read'], expires_in_days: 30 }),
    })
  const page = await openPage(browser, server.url, { user })
  await page.goto('/settings?tab=api-keys')
  const key = (name: string) => page.getByRole('button', { name: `Revoke the key ${name}` })
  await key('first').click()
  const answer = await hold(page, '**/auth/v1/user/api-keys/*')
  await inDialog(page, 'Revoke').click()
  await inDialog(page, 'Cancel').click()
  await key('second').click()
  answer()
  await expectNotice(page, 'Key revoked')
  await key('first').waitFor({ state: 'detached' })
  await inDialog(page, 'Revoke').click()
  await page.getByText('No API keys').waitFor()
  await page.context().close()
})

it('a title that is saved by leaving its field lets the focus stay where it went', async () => {
  const page = await openLink(await makeUser(server))
  await page.getByRole('button', { name: 'Add a title' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Spring')
  await page.getByRole('button', { name: '+ tag' }).focus()
  await expectNotice(page, 'Title saved')
  await page.getByRole('button', { name: 'Edit the title' }).waitFor()
  await page.waitForTimeout(100)
  await page.getByRole('button', { name: '+ tag' }).and(page.locator(':focus')).waitFor()
  await page.context().close()
})

const webhookAddress = (page: Page) =>
  page.getByRole('dialog').getByRole('textbox', { name: 'Address' })

it('a webhook that is edited again stays when the first save is answered', async () => {
  const user = await makeUser(server)
  const answered = await fetch(`${server.url}/functions/v1/webhooks`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      url: 'https://example.com/',
      description: '',
      events: ['link.created'],
    }),
  })
  expect(answered.ok).toBe(true)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/settings?tab=webhooks')
  await page.getByRole('link', { name: /^Open the webhook/ }).click()
  const edit = page.getByRole('button', { name: 'Edit', exact: true })
  const field = webhookAddress(page)
  await edit.click()
  await field.fill('https://example.com/first')
  const answer = await hold(page, '**/functions/v1/webhooks/*')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await edit.click()
  await field.fill('https://example.com/typed')
  answer()
  await expectNotice(page, 'Webhook saved')
  await expectKept(field, 'https://example.com/typed')
  await page.context().close()
})

it('the secret of a new webhook is shown at once, and the form that was opened since stays', async () => {
  const page = await openPage(browser, server.url, { user: await makeUser(server) })
  await page.goto('/settings?tab=webhooks')
  const add = page.getByRole('main').getByRole('button', { name: 'Add Webhook' }).first()
  const field = webhookAddress(page)
  await add.click()
  await field.fill('https://example.com/first')
  const answer = await hold(page, '**/functions/v1/webhooks')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await add.click()
  await field.fill('https://example.com/typed')
  answer()
  await inDialog(page, 'I have saved it').click()
  await expectKept(field, 'https://example.com/typed')
  await page.context().close()
})

it('the key of a new API key is shown at once, and the form that was opened since stays', async () => {
  const page = await openPage(browser, server.url, { user: await makeUser(server) })
  await page.goto('/settings?tab=api-keys')
  const add = page.getByRole('button', { name: 'New Key' })
  const field = page.getByRole('dialog').getByRole('textbox', { name: 'Name' })
  await add.click()
  await field.fill('first')
  const answer = await hold(page, '**/auth/v1/user/api-keys')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await add.click()
  await field.fill('typed')
  answer()
  await inDialog(page, 'I have saved it').click()
  await expectKept(field, 'typed')
  await page.context().close()
})

it('a second factor that is added again stays when the first one is answered', async () => {
  const page = await openPage(browser, server.url, { user: await makeUser(server) })
  await page.goto('/settings?tab=security')
  const add = page.getByRole('button', { name: 'Add Authenticator App' })
  const field = page.getByRole('dialog').getByLabel('Name')
  await add.click()
  await field.fill('First')
  await page.keyboard.press('Enter')
  const secret = await page.locator('dialog .select-all').textContent()
  await page
    .getByLabel('Code from the app')
    .fill(await codeOf((secret ?? '').replaceAll(' ', ''), -1))
  const answer = await hold(page, '**/auth/v1/factors/*/verify')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await add.click()
  await field.fill('Typed')
  answer()
  await expectNotice(page, 'Second factor added')
  await expectKept(field, 'Typed')
  await page.context().close()
})
