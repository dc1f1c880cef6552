/** @module-tag extended */
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { audienceNotices } from '#domain/texts/audience-texts.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { expectAccessible, expectNotice, forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { failing } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

/** Leads of a popup, the newest with the number 1. */
async function plantLeads(user: TestUser, count: number): Promise<string> {
  const [popup] = await server.sql<{ id: string }>(
    `insert into app.popups (user_id, title, collect_email) values ($1, 'A letter a month', true) returning id`,
    [user.id],
  )
  await server.sql('insert into app.audiences (user_id) values ($1) on conflict do nothing', [
    user.id,
  ])
  await server.sql(
    `insert into app.leads (user_id, popup_id, popup_version, email, consent_text, code, source, state, unsubscribe_token, tags, created_at)
      select $1, $2, 1, 'reader' || n || '@example.com', 'Write to me', 'spring-menu', 'letter.example', 'confirmed',
        gen_random_uuid()::text, case when n % 2 = 0 then '{even}'::text[] else '{}' end, now() - n * interval '1 minute'
      from generate_series(1, $3) n`,
    [user.id, popup?.id, count],
  )
  return popup?.id ?? ''
}

async function openAudience(user: TestUser, options = {}): Promise<Page> {
  const page = await openPage(browser, server.url, { user, ...options })
  await page.goto('/audience')
  await page.getByRole('heading', { name: 'Audience', exact: true }).waitFor()
  return page
}

const rows = (page: Page) => page.getByRole('list', { name: 'Addresses' }).getByRole('listitem')

describe('the audience', () => {
  it('lists addresses, narrows them, tags, and deletes', { tags: ['extended'] }, async () => {
    const user = await makeUser(server)
    await plantLeads(user, 3)
    const page = await openAudience(user)
    await expect.poll(() => rows(page).count()).toBe(3)
    await expectAccessible(page)
    await page.getByLabel('Search addresses').fill('nobody')
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect.poll(() => rows(page).count()).toBe(3)
    expect(await page.getByLabel('Search addresses').inputValue()).toBe('')
    await page.getByLabel('Search addresses').fill('reader2')
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.getByLabel('Select reader2@example.com').check()
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    await page.getByLabel('Add tags').fill(Array.from({ length: 21 }, (_, n) => `t${n}`).join())
    await page.getByRole('button', { name: 'Save tags' }).click()
    await expectNotice(page, 'A lead has at most 20 tags')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    // Longer than a tag of a link may be.
    const long = 'yes'.repeat(20)
    await page.getByLabel('Add tags').fill(`vip, fall, ${long}`)
    await page.getByRole('checkbox', { name: 'even' }).check()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Tags saved').waitFor()
    // It closes when the list has been read again, and until then the search takes no keys.
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    const tags = await server.sql(
      `select tags from app.leads where user_id = $1 and email like 'reader2%'`,
      [user.id],
    )
    expect(tags).toEqual([{ tags: ['fall', 'vip', long] }])
    await page.getByLabel('Search addresses').fill('')
    await expect.poll(() => rows(page).count()).toBe(3)
    await page.getByLabel('Tag', { exact: true }).selectOption('vip')
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.getByLabel('Select reader2@example.com').check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No matches').waitFor()
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect.poll(() => rows(page).count()).toBe(2)
    await page.context().close()
  })

  it('is empty at first, and keeps its settings', async () => {
    const page = await openAudience(await makeUser(server))
    await page.getByText('No addresses yet').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    await page.getByLabel('Keep addresses').selectOption('1 year')
    await page.getByLabel('Confirm by email').check()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Settings saved').waitFor()
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    expect(await page.getByLabel('Keep addresses').inputValue()).toBe('365')
    expect(await page.getByLabel('Confirm by email').isChecked()).toBe(true)
    await page.context().close()
  })

  it('keeps a setting that was changed elsewhere meanwhile', async () => {
    const user = await makeUser(server)
    await plantLeads(user, 1)
    const page = await openAudience(user)
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    await page.getByLabel('Keep addresses').selectOption('1 year')
    await server.sql('update app.audiences set double_opt_in = true where user_id = $1', [user.id])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Settings saved').waitFor()
    expect(
      await server.sql(
        'select retention_days, double_opt_in from app.audiences where user_id = $1',
        [user.id],
      ),
    ).toEqual([{ retention_days: 365, double_opt_in: true }])
    await page.context().close()
  })

  it('exports 2,500 addresses as CSV, and shows them a hundred at a time', async () => {
    const user = await makeUser(server)
    await plantLeads(user, 2_500)
    await server.sql(
      `update app.leads set tags = '{spring menu,even}' where user_id = $1 and email = 'reader1@example.com'`,
      [user.id],
    )
    const page = await openAudience(user)
    await expect.poll(() => rows(page).count()).toBe(100)
    await page.getByRole('button', { name: 'Show More' }).click()
    await expect.poll(() => rows(page).count()).toBe(200)
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const text = await readFile(await (await downloading).path(), 'utf8')
    // The mark by which spreadsheets know UTF-8.
    expect(text).toMatch(/^\uFEFFemail,/)
    const lines = text.trimEnd().split('\r\n')
    expect(lines).toHaveLength(2_501)
    expect(new Set(lines).size).toBe(2_501)
    expect(lines[1]).toContain('reader1@example.com,confirmed,A letter a month,spring-menu')
    expect(lines[1]).toContain(',"spring menu, even",')
    await page.context().close()
  })

  it('shows the changed addresses when a part of a change of many fails', async () => {
    const user = await makeUser(server)
    await plantLeads(user, 250)
    const page = await openAudience(user)
    for (const count of [100, 200]) {
      await expect.poll(() => rows(page).count()).toBe(count)
      await page.getByRole('button', { name: 'Show More' }).click()
    }
    await expect.poll(() => rows(page).count()).toBe(250)
    await page
      .getByRole('checkbox', { name: /^Select reader/ })
      .evaluateAll((boxes) => boxes.forEach((box) => (box as HTMLInputElement).click()))
    const bar = page.getByRole('region', { name: 'Selected addresses' })
    await bar.getByText('250 selected').waitFor()
    /** The first request is answered, later ones fail. */
    async function failSecond(url: string): Promise<void> {
      let requests = 0
      await page.route(url, (route) =>
        route.request().method() === 'GET' || ++requests === 1 ? route.continue() : failing(route),
      )
    }

    await failSecond('**/rest/v1/rpc/tag_leads*')
    await bar.getByRole('button', { name: 'Tag', exact: true }).click()
    const tags = page.getByRole('dialog', { name: 'Tags' })
    await tags.getByLabel('Add tags').fill('vip')
    await tags.getByRole('button', { name: 'Save' }).click()
    await expectNotice(page, audienceNotices.tagFailed.title)
    await expect.poll(() => rows(page).getByText('vip', { exact: true }).count()).toBe(200)
    expect(await tags.getByLabel('Add tags').inputValue()).toBe('vip')
    await page.keyboard.press('Escape')
    await bar.getByText('250 selected').waitFor()

    await failSecond('**/rest/v1/leads*')
    await bar.getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('dialog', { name: 'Delete these addresses?' })
    await question.getByText('250 addresses').waitFor()
    await question.getByRole('button', { name: 'Delete' }).click()
    await expectNotice(page, audienceNotices.deleteFailed.title)
    // Erased addresses leave the list, the selection and the question.
    await expect.poll(() => rows(page).count()).toBe(50)
    await question.getByText(/^50 addresses/).waitFor()
    await page.unroute('**/rest/v1/leads*')
    await question.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No addresses yet').waitFor()
    forgive(/status of 500/)
    await page.context().close()
  })

  it.each([
    ['light', 360],
    ['dark', 1280],
  ] as const)('is accessible and doesn’t scroll sideways: %s, %i px wide', async (theme, width) => {
    const user = await makeUser(server)
    await plantLeads(user, 12)
    await server.sql(
      `update app.leads set email = repeat('x', 200) || '@example.com', tags = array(select 'tag number ' || n from generate_series(1, 20) n)
        where user_id = $1 and email like 'reader3@%'`,
      [user.id],
    )
    const page = await openAudience(user, { theme, width })
    await page.getByLabel('Select reader1@example.com').check()
    await expectAccessible(page)
    expect(await page.evaluate(() => document.scrollingElement?.scrollWidth)).toBeLessThanOrEqual(
      width,
    )
    await page.context().close()
  })
})
