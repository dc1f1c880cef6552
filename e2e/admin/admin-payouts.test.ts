/** @module-tag extended */
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { payInvoice } from '#test/affiliates/plant.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { makeAdmin, makeAffiliate } from './admin-plant.ts'
import { expectNotice, forgive, openPage } from '../browser.ts'
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

async function open(path: string): Promise<Page> {
  const page = await openPage(browser, server.url, { user: admin })
  await page.goto(path)
  return page
}

const cells = (page: Page, table: string, text: string) =>
  page
    .getByRole('table', { name: table })
    .getByRole('row')
    .filter({ hasText: text })
    .getByRole('cell')
    .allTextContents()

async function exported(page: Page, button: string): Promise<string> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  return readFile(await (await download).path(), 'utf8')
}

describe('payouts', () => {
  it('payouts show due and held amounts, release them, book payments, and keep the history', async () => {
    const { email } = await makeAffiliate(server, 'ada@example.com')
    const page = await open('/admin/payouts')
    const due = page.getByRole('table', { name: 'Due payouts' })
    const held = page.getByRole('table', { name: 'Held commissions' })
    await due.getByText(email).waitFor()
    await held.getByText('Same mailbox').waitFor()
    expect((await cells(page, 'Due payouts', email)).slice(2, 6)).toEqual([
      '$1.75',
      '$1.75',
      '$11.75',
      '1',
    ])
    await page.getByText('Nothing has been paid yet.').waitFor()
    await held.getByText('ada+again@example.com').waitFor()
    await held.getByRole('button', { name: `Release: $11.75 of ${email}` }).click()
    await expectNotice(page, 'Commission released')
    await due.getByText('$13.50').waitFor()
    await page.getByText('Nothing is held.').waitFor()
    await page.getByRole('button', { name: `Mark Paid: ${email}` }).click()
    await page.getByRole('dialog').getByLabel('Reference').fill('Transfer 4711')
    await page.keyboard.press('Enter')
    await expectNotice(page, 'Payout booked', '$13.50')
    await page.getByText('Nothing is due.').waitFor()
    await expect
      .poll(async () => (await cells(page, 'Paid', email)).slice(1))
      .toEqual([email, '$13.50', 'Transfer 4711', admin.email])
    await page.context().close()
  })

  it('a payout is booked only at the amount that the admin saw', async () => {
    const { email, payer } = await makeAffiliate(server, 'lin@example.com')
    const page = await open('/admin/payouts')
    await page.getByRole('button', { name: `Mark Paid: ${email}` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('$1.75').waitFor()
    await dialog.getByLabel('Reference').fill('Transfer 4712')
    // Falls due meanwhile, and is not held.
    await server.sql('update auth.users set email = $2 where id = $1', [payer, 'p@example.com'])
    await payInvoice(server.sql, { payer, base: 1_000, age: 31 })
    await dialog.getByRole('button', { name: 'Mark Paid' }).click()
    const changed = 'The amount due has changed to $4.25.'
    await expectNotice(page, 'Failed to record the payout', changed)
    forgive(/status of 400/)
    await dialog.getByText('$4.25', { exact: true }).waitFor()
    await expect.poll(() => dialog.getByLabel('Reference').inputValue()).toBe('Transfer 4712')
    await dialog.getByRole('button', { name: 'Mark Paid' }).click()
    await expectNotice(page, 'Payout booked', '$4.25')
    await page.context().close()
  })

  it('held commissions are canceled only after a question', async () => {
    const { email, id } = await makeAffiliate(server, 'mary@example.com')
    const page = await open('/admin/payouts')
    const row = page.getByRole('row').filter({ hasText: 'mary+again@example.com' })
    await row.getByRole('button', { name: `Cancel It: $11.75 of ${email}` }).click()
    const question = page.getByRole('dialog', { name: 'Cancel this commission?' })
    await question.getByText(email).waitFor()
    await question.getByRole('button', { name: 'Cancel the Commission' }).click()
    await expectNotice(page, 'Commission canceled')
    await row.waitFor({ state: 'detached' })
    const lines = await server.sql<{ status: string }>(
      `select status from app.commissions where affiliate_user_id = $1 and amount_cents = 1175`,
      [id],
    )
    expect(lines).toEqual([{ status: 'canceled' }])
    await page.context().close()
  })

  it('are exported as CSV in which nothing is a formula', async () => {
    // A mailbox may well start with one of these signs.
    const { id } = await makeAffiliate(server, '=cmd|calc!a1@example.com')
    const page = await open('/admin/payouts')
    await page.getByRole('button', { name: 'Mark Paid: =cmd|calc!a1@example.com' }).waitFor()
    const due = (await exported(page, 'Export Due as CSV')).split('\r\n')
    expect(due[0]).toBe('\uFEFFaffiliate_id,email,code,due_usd,pending_usd,held_usd,lines')

    const line = due.find((text) => text.startsWith(id))?.split(',') ?? []
    expect(line[1]).toBe("'=cmd|calc!a1@example.com")
    expect(line[2]).toMatch(/^[0-9A-F]{8}$/)
    expect(line.slice(3)).toEqual(['1.75', '1.75', '11.75', '1'])
    await page.getByRole('button', { name: 'Mark Paid: =cmd|calc!a1@example.com' }).click()
    await page.getByRole('dialog').getByLabel('Reference').fill('@SUM(1,2) "x"')
    await page.keyboard.press('Enter')
    await expectNotice(page, 'Payout booked', '$1.75')
    const paid = await exported(page, 'Export Paid as CSV')
    expect(paid).toContain(
      `,${id},'=cmd|calc!a1@example.com,1.75,"'@SUM(1,2) ""x""",${admin.email}`,
    )
    await page.context().close()
  })

  it('export each payout that was ever made', async () => {
    await server.sql(
      `insert into app.payouts (affiliate_user_id, amount_cents, reference, created_at)
        select gen_random_uuid(), 100, 'old ' || n, now() - interval '1 year' - (n / 3) * interval '1 second'
        from generate_series(1, 10050) as n`,
    )
    const page = await open('/admin/payouts')
    const paid = await exported(page, 'Export Paid as CSV')
    const old = paid.split('\r\n').filter((line) => line.includes(',old '))
    expect(new Set(old).size).toBe(10_050)
    expect(old).toHaveLength(10_050)
    await page.context().close()
  })
})

/** Changes a user's name and plan as the admin. */
async function editUser(user: { email: string }, name: string): Promise<Page> {
  const page = await open(`/admin/users?q=${user.email}`)
  await page.getByRole('button', { name: `Edit ${user.email}` }).click()
  await page.getByLabel('Display Name').fill(name)
  await page.getByLabel('Plan').selectOption('Pro')
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expectNotice(page, 'User updated successfully')
  return page
}

describe('the audit log', () => {
  it('names actor, action and subject, before and after', async () => {
    const user = await makeUser(server, { data: { display_name: 'Before' } })
    const page = await editUser(user, 'After')
    await page.goto('/admin/audit')
    const entry = page.getByRole('listitem').filter({ hasText: user.email }).first()
    const sentence = `${admin.email} changed ${user.email}: plan type free → pro, display name Before → After`
    await expect
      .poll(async () => (await entry.innerText()).replace(/\s+/g, ' '))
      .toContain(sentence)
    // Ids are behind Details.
    expect(await entry.innerText()).not.toContain(user.id)
    await entry.getByText('Details').click()
    await entry.getByText('user.update').waitFor()
    const text = (await entry.innerText()).replace(/\s+/g, ' ')
    expect(text).toContain(user.id)
    expect(text).toContain('display name before: Before → after: After')
    expect(text).toContain('plan type before: free → after: pro')
    expect(text).not.toContain('role before')
    expect(text).toMatch(/request \S{8}/)
    await page.context().close()
  })

  it('is searched, also for former values', async () => {
    const user = await makeUser(server, { data: { display_name: 'Quokka' } })
    const page = await editUser(user, 'Wombat')
    await page.goto('/admin/audit')
    const entries = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem')
    await entries.first().waitFor()
    await page.getByLabel('Search audit log').fill('quokka')
    await expect.poll(() => entries.count()).toBe(1)
    await expect.poll(() => entries.innerText()).toMatch(/Quokka[^]*Wombat/)
    await page.getByLabel('Search audit log').fill('nothing like it')
    await page.getByRole('heading', { name: 'Nothing matches “nothing like it”' }).waitFor()
    await page.context().close()
  })
})
