/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { ageSessions, makeAdmin } from './admin-plant.ts'
import { expectAccessible, expectNotice, forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage), { isFresh: true })

async function openUsers(user: TestUser, search = ''): Promise<Page> {
  const page = await openPage(browser, server.url, { user })
  await page.goto(`/admin/users${search}`)
  await page.getByText(/^Total users: /).waitFor()
  return page
}

const rowOf = (page: Page, email: string) => page.getByRole('row').filter({ hasText: email })

async function factsOf(id: string) {
  const [facts] = await server.sql(
    `select p.display_name, r.role, l.plan_type from app.profiles p join app.user_roles r on r.user_id = p.id
      join app.user_plans l on l.user_id = p.id where p.id = $1`,
    [id],
  )
  return facts
}

describe('the table of users', () => {
  it('shows every account with name, role, plan and day', async () => {
    const admin = await makeAdmin(server)
    const user = await makeUser(server, { plan: 'pro', data: { display_name: 'Katherine' } })
    const page = await openUsers(admin)
    const heads = await page.getByRole('columnheader').allTextContents()
    expect(heads).toEqual(['Email', 'Display Name', 'Role', 'Plan', 'Created', 'Actions'])
    const cells = await rowOf(page, user.email).getByRole('cell').allTextContents()
    expect(cells.slice(0, 4)).toEqual([user.email, 'Katherine', 'user', 'Pro'])
    const [{ count } = { count: 0 }] = await server.sql<{ count: number }>(
      'select count(*)::int as count from app.profiles',
    )
    await page.getByText(`Total users: ${count}`, { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Back to Admin' }).click()
    await page.waitForURL('**/admin')
    await page.context().close()
  })

  it('searches, sorts and pages among 2,000, and keeps all of it in the address', async () => {
    const admin = await makeAdmin(server)
    await server.sql(
      `insert into auth.users (email) select 'crowd-' || lpad(n::text, 4, '0') || '@example.com' from generate_series(1, 2000) as n`,
    )
    const page = await openUsers(admin)
    await page.getByLabel('Search users').fill('CROWD-')
    await page.getByText('2,000 found').waitFor()
    await page.getByRole('button', { name: 'Email' }).click()
    await rowOf(page, 'crowd-0001@').waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(51)
    const head = page.getByRole('columnheader', { name: 'Email' })
    await expect.poll(() => head.getAttribute('aria-sort')).toBe('ascending')
    await page.getByRole('button', { name: 'Next' }).click()
    await rowOf(page, 'crowd-0051@').waitFor()
    await page.getByText('Page 2 of 40').waitFor()
    await page.reload()
    await rowOf(page, 'crowd-0051@').waitFor()
    await expect.poll(() => page.getByLabel('Search users').inputValue()).toBe('CROWD-')
    await page.getByRole('button', { name: 'Email' }).click()
    await rowOf(page, 'crowd-2000@').waitFor()
    await page.getByText('Page 1 of 40').waitFor()
    await page.goBack()
    await rowOf(page, 'crowd-0051@').waitFor()
    await page.getByLabel('Search users').fill('nobody-like-this')
    await page.getByRole('heading', { name: 'No users match “nobody-like-this”' }).waitFor()
    await page.getByRole('button', { name: 'Show All Users' }).click()
    await page.getByText(/^Page 1 of 4[1-9]$/).waitFor()
    await expect.poll(() => page.getByLabel('Search users').inputValue()).toBe('')
    await page.context().close()
  })

  it('says when it cannot be loaded, and tries again', async () => {
    const admin = await makeAdmin(server)
    const page = await openPage(browser, server.url, { user: admin })
    await page.route('**/rpc/admin_users', (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto('/admin/users')
    await expectNotice(page, 'Failed to load users')
    await page.unroute('**/rpc/admin_users')
    await page.getByRole('button', { name: 'Try Again' }).click()
    await rowOf(page, admin.email).waitFor()
    forgive(/status of 500/)
    await page.context().close()
  })
})

describe('the Edit dialog', () => {
  it('changes name, role and plan, by keyboard alone', { tags: ['gate'] }, async () => {
    const admin = await makeAdmin(server)
    const user = await makeUser(server)
    const page = await openUsers(admin, `?q=${user.email}`)
    await rowOf(page, user.email).waitFor()
    await page.getByRole('button', { name: `Edit ${user.email}` }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByLabel('Display Name').waitFor()
    await expectAccessible(page)
    await page.keyboard.type('Dorothy Vaughan')
    await page.keyboard.press('Tab')
    await page.keyboard.type('admin')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Bus')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save Changes' }).press('Enter')
    await expectNotice(page, 'User updated successfully')
    await rowOf(page, user.email).getByText('Dorothy Vaughan').waitFor()
    expect(await factsOf(user.id)).toEqual({
      display_name: 'Dorothy Vaughan',
      role: 'admin',
      plan_type: 'business',
    })
    await page.context().close()
  })

  it('leaves a plan and role that changed meanwhile, and changes the field alone', async () => {
    const admin = await makeAdmin(server)
    const user = await makeUser(server, { role: 'admin' })
    const page = await openUsers(admin, `?q=${user.email}`)
    await page.getByRole('button', { name: `Edit ${user.email}` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Display Name').fill('Grace')
    // A payment, and another admin.
    await server.sql(`update app.user_plans set plan_type = 'pro' where user_id = $1`, [user.id])
    await server.sql(`update app.user_roles set role = 'user' where user_id = $1`, [user.id])
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    await expectNotice(page, 'User updated successfully')
    const paid = { display_name: 'Grace', role: 'user', plan_type: 'pro' }
    expect(await factsOf(user.id)).toEqual(paid)
    await rowOf(page, user.email).getByText('Grace').waitFor()
    await page.getByRole('button', { name: `Edit ${user.email}` }).click()
    await dialog.getByLabel('Plan').selectOption('Business')
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    await expect.poll(() => factsOf(user.id)).toEqual({ ...paid, plan_type: 'business' })
    await page.context().close()
  })

  it('names the failure and its reason, and keeps the input', async () => {
    const admin = await makeAdmin(server)
    const page = await openUsers(admin, `?q=${admin.email}`)
    await page.getByRole('button', { name: `Edit ${admin.email}` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Display Name').fill('x'.repeat(101))
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    await dialog.getByText('Display name must be at most 100 characters').waitFor()
    await dialog.getByLabel('Display Name').fill('Kept')
    await page.route('**/rpc/admin_update_user', (route) =>
      route.fulfill({
        status: 400,
        json: { code: 'P0001', message: 'The last admin cannot be removed or demoted.' },
      }),
    )
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    await expectNotice(page, 'Failed to update user', 'The last admin cannot be removed')
    await expect.poll(() => dialog.getByLabel('Display Name').inputValue()).toBe('Kept')
    await page.context().close()
  })

  it('leads an admin who gave the role away home', async () => {
    await makeAdmin(server)
    const admin = await makeAdmin(server)
    const page = await openUsers(admin, `?q=${admin.email}`)
    await page.getByRole('button', { name: `Edit ${admin.email}` }).click()
    await page.getByRole('dialog').getByLabel('Role').selectOption('user')
    await page.getByRole('button', { name: 'Save Changes' }).click()
    await page.waitForURL(`${server.url}/`)
    await page.context().close()
  })
})

describe('delete', () => {
  it('asks in the words of the specification, and deletes', { tags: ['gate'] }, async () => {
    const admin = await makeAdmin(server)
    const user = await makeUser(server)
    const page = await openUsers(admin, `?q=${user.email}`)
    const questions: string[] = []
    let answer = false
    page.on('dialog', (dialog) => {
      questions.push(dialog.message())
      void (answer ? dialog.accept() : dialog.dismiss())
    })
    const button = page.getByRole('button', { name: `Delete ${user.email}` })
    await button.click()
    expect(await factsOf(user.id)).toBeDefined()
    answer = true
    await button.click()
    await expectNotice(page, 'User deleted successfully')
    await page.getByRole('heading', { name: /^No users match/ }).waitFor()
    expect(await factsOf(user.id)).toBeUndefined()
    const words = 'Are you sure you want to delete this user? This action cannot be undone.'
    expect(questions).toEqual([words, words])
    await page.context().close()
  })

  it('says when it failed', async () => {
    const admin = await makeAdmin(server)
    const user = await makeUser(server)
    const page = await openUsers(admin, `?q=${user.email}`)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.route('**/rpc/admin_delete_user', (route) => route.abort())
    await page.getByRole('button', { name: `Delete ${user.email}` }).click()
    await expectNotice(page, 'Failed to delete user')
    forgive(/ERR_FAILED/)
    await page.context().close()
  })
})

describe('an admin who signed in an hour ago', () => {
  it('is asked for the password, and then the change is made', async () => {
    const admin = await makeAdmin(server)
    const user = await makeUser(server)
    await ageSessions(server, admin)
    const page = await openUsers(admin, `?q=${user.email}`)
    await page.getByRole('button', { name: `Edit ${user.email}` }).click()
    await page.getByLabel('Role').selectOption('admin')
    await page.getByRole('button', { name: 'Save Changes' }).click()
    const again = page.getByRole('dialog', { name: 'Please sign in again to confirm this.' })
    await again.getByLabel('Password').fill('wrong horse')
    await expectAccessible(page)
    await again.getByRole('button', { name: 'Sign In and Confirm' }).click()
    await again.getByText('Invalid login credentials').waitFor()
    expect(await factsOf(user.id)).toMatchObject({ role: 'user' })
    await again.getByLabel('Password').fill(admin.password)
    await page.keyboard.press('Enter')
    await expectNotice(page, 'User updated successfully')
    expect(await factsOf(user.id)).toMatchObject({ role: 'admin' })
    const sessions = await server.sql(
      `select created_at > now() - interval '5 minutes' as recent from auth.sessions where user_id = $1`,
      [admin.id],
    )
    expect(sessions).toEqual([{ recent: true }])
    await page.context().close()
  })

  it('changes nothing when the question is closed', async () => {
    const admin = await makeAdmin(server)
    const user = await makeUser(server)
    await ageSessions(server, admin)
    const page = await openUsers(admin, `?q=${user.email}`)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: `Delete ${user.email}` }).click()
    const again = page.getByRole('dialog', { name: 'Please sign in again to confirm this.' })
    await again.getByRole('button', { name: 'Cancel' }).click()
    await again.waitFor({ state: 'hidden' })
    await expect.poll(() => page.locator('[data-sonner-toast]').count()).toBe(0)
    expect(await factsOf(user.id)).toBeDefined()
    await page.context().close()
  })
})
