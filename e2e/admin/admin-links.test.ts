/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { makeAdmin, makeReport } from './admin-plant.ts'
import { expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
let admin: TestUser

setStage(
  async (stage) => {
    ;({ server, browser } = stage)
    admin = await makeAdmin(server)
  },
  { isFresh: true },
)

async function statusOf(code: string): Promise<number> {
  return (await fetch(`${server.url}/${code}`, { redirect: 'manual' })).status
}

async function open(path: string): Promise<Page> {
  const page = await openPage(browser, server.url, { user: admin })
  await page.goto(path)
  return page
}

async function lookUp(page: Page, by: string, value: string): Promise<void> {
  await page.getByLabel('Look up by').selectOption(by)
  await page.getByLabel('Look for').fill(value)
  await page.getByRole('button', { name: 'Look Up' }).click()
}

const found = (page: Page) => page.getByRole('table', { name: 'Links found' })
const blocks = (page: Page) => page.getByRole('table', { name: 'Blocked now' })
const dialog = (page: Page) => page.getByRole('dialog')

describe('links', () => {
  it('are found by their address, and blocked and unblocked', async () => {
    const owner = await makeUser(server)
    await makeLink(server, owner, { short_code: 'bad-link', original_url: 'https://a.example/x' })
    const page = await open('/admin/links')
    await page.getByText('Nothing is blocked.').waitFor()
    // Before anything is looked up.
    await page.getByRole('table', { name: 'Newest' }).getByText('bad-link').waitFor()
    await page.getByText('No link was clicked yet.').waitFor()
    await page.getByRole('button', { name: 'Look Up' }).click()
    await page.getByText('Please enter what to look for').waitFor()
    await lookUp(page, 'Short link', `${server.url}/bad-link?utm=1`)
    await found(page).getByText('https://a.example/x').waitFor()
    await found(page).getByText(owner.email).waitFor()
    await found(page).getByText('Reachable').waitFor()
    await page.getByRole('button', { name: 'Block bad-link' }).click()
    await dialog(page).getByLabel('Reason').fill('Phishing')
    await page.keyboard.press('Enter')
    await expectNotice(page, 'Blocked', 'bad-link')
    await found(page).getByText('Blocked', { exact: true }).waitFor()
    await blocks(page).getByText('Phishing').waitFor()
    await blocks(page).getByText(admin.email).waitFor()
    await expect.poll(() => statusOf('bad-link')).toBe(410)
    await found(page).getByRole('button', { name: 'Unblock bad-link' }).click()
    await expectNotice(page, 'Unblocked', 'bad-link')
    await page.getByText('Nothing is blocked.').waitFor()
    await expect.poll(() => statusOf('bad-link')).toBe(302)
    await page.context().close()
  })

  it('are found and blocked by host, with all below it', async () => {
    const owner = await makeUser(server)
    const { short_code } = await makeLink(server, owner, {
      original_url: 'https://www.evil.example/y',
    })
    const page = await open('/admin/links')
    await lookUp(page, 'Host', 'evil.example')
    await found(page).getByText('https://www.evil.example/y').waitFor()
    await page.getByRole('button', { name: 'Block This Host' }).click()
    await dialog(page).getByRole('button', { name: 'Block', exact: true }).click()
    await found(page).getByText('Host blocked').waitFor()
    await expect.poll(() => statusOf(short_code)).toBe(410)
    await blocks(page).getByRole('button', { name: 'Unblock evil.example' }).click()
    await found(page).getByText('Reachable').waitFor()
    await page.context().close()
  })

  it('are found and blocked by a host in its own letters, or by a whole address', async () => {
    const owner = await makeUser(server)
    const ascii = 'xn--bcher-kva.example'
    const { short_code } = await makeLink(server, owner, { original_url: `https://${ascii}/y` })
    const page = await open('/admin/links')
    for (const typed of ['Bücher.example', 'https://www.bücher.example/lesen?x#y', ascii]) {
      await lookUp(page, 'Host', typed)
      await page.getByRole('heading', { name: `Found for “${typed}”` }).waitFor()
      await found(page).getByText(short_code).waitFor()
      await expect
        .poll(() => page.getByText(`Looked up as the host ${ascii}`).count())
        .toBe(typed === ascii ? 0 : 1)
    }
    await lookUp(page, 'Host', 'bücher.example')
    await found(page).getByText(short_code).waitFor()
    await page.getByRole('button', { name: 'Block This Host' }).click()
    await dialog(page).getByText(ascii).waitFor()
    await dialog(page).getByRole('button', { name: 'Block', exact: true }).click()
    await found(page).getByText('Host blocked').waitFor()
    await expect.poll(() => statusOf(short_code)).toBe(410)
    await blocks(page)
      .getByRole('button', { name: `Unblock ${ascii}` })
      .click()
    await found(page).getByText('Reachable').waitFor()
    await page.context().close()
  })

  it('are found and blocked by their owner, from the table of users', async () => {
    const owner = await makeUser(server)
    const { short_code } = await makeLink(server, owner)
    const page = await open(`/admin/users?q=${owner.email}`)
    await page.getByRole('link', { name: `Links of ${owner.email}` }).click()
    await found(page).getByText(short_code).waitFor()
    await page.getByRole('button', { name: `Block ${short_code}` }).click()
    await dialog(page).getByText(owner.email).click()
    await dialog(page).getByRole('button', { name: 'Block', exact: true }).click()
    await found(page).getByText('User blocked').waitFor()
    await expect.poll(() => statusOf(short_code)).toBe(410)
    await blocks(page)
      .getByRole('button', { name: `Unblock ${owner.email}` })
      .click()
    await found(page).getByText('Reachable').waitFor()
    await page.context().close()
  })

  it('that cannot be blocked say why', async () => {
    const page = await open('/admin/links?by=code&value=no-such-name')
    await page.getByRole('heading', { name: 'No links found for “no-such-name”' }).waitFor()
    await page.getByRole('button', { name: 'Block This Name' }).click()
    await dialog(page).getByRole('button', { name: 'Block', exact: true }).click()
    await expectNotice(page, 'Failed to block', 'No link or page has this name.')
    await page.keyboard.press('Escape')
    await lookUp(page, 'User', admin.email)
    await page.getByRole('button', { name: 'Block This User' }).click()
    await dialog(page).getByRole('button', { name: 'Block', exact: true }).click()
    await expectNotice(page, 'Failed to block', 'An admin cannot be blocked.')
    await page.context().close()
  })

  it('come in pages of 50', async () => {
    const owner = await makeUser(server, { plan: 'business' })
    for (let n = 1; n <= 60; n++)
      await makeLink(server, owner, { original_url: `https://many.example/${n}` })
    const page = await open('/admin/links?by=host&value=many.example')
    await found(page).getByRole('row').nth(50).waitFor()
    await expect.poll(() => found(page).getByRole('row').count()).toBe(51)
    await page.getByRole('button', { name: 'Load More' }).click()
    await found(page).getByRole('row').nth(60).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Load More' }).count()).toBe(0)
    await page.context().close()
  })
})

describe('reports', () => {
  it('are upheld, which blocks, or dismissed', async () => {
    const owner = await makeUser(server)
    await makeLink(server, owner, { short_code: 'reported', original_url: 'https://b.example/z' })
    await makeReport(server, {
      name: 'reported',
      reason: 'malware',
      details: 'Downloads something.',
      reporter: 'visitor@example.com',
    })
    await makeReport(server, { name: 'harmless', reason: 'spam' })
    const page = await open('/admin/reports')
    const report = (name: string) => page.getByRole('article', { name, exact: true })
    for (const text of [
      'Malware or a harmful download',
      'Downloads something.',
      'https://b.example/z',
      owner.email,
      'visitor@example.com',
    ])
      await report('reported').getByText(text).waitFor()
    await page.getByRole('button', { name: 'Uphold and Block reported' }).click()
    await dialog(page).getByRole('button', { name: 'Uphold and Block' }).click()
    await expectNotice(page, 'Report upheld')
    await report('reported').waitFor({ state: 'detached' })
    await expect.poll(() => statusOf('reported')).toBe(410)
    await page.getByRole('button', { name: 'Dismiss the report of harmless' }).click()
    await dialog(page).getByRole('button', { name: 'Dismiss' }).click()
    await expectNotice(page, 'Report dismissed')
    await page.getByRole('heading', { name: 'No open reports' }).waitFor()
    await page.getByLabel('Show').selectOption('Upheld')
    await report('reported').getByText('blocked').waitFor()
    await page.getByLabel('Show').selectOption('All')
    await report('harmless').getByText('dismissed').waitFor()
    await page.getByRole('link', { name: 'Look Up reported' }).click()
    await found(page).getByText('Blocked', { exact: true }).waitFor()
    await page.context().close()
  })
})
