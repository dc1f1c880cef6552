/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { scriptInjections } from '#test/fixtures/script-injections.ts'
import { makeAdmin, makeReport } from './admin-plant.ts'
import { forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
let admin: TestUser
let owner: TestUser

// Past every rule that would refuse them: any content of a column must still only be shown.
setStage(
  async (stage) => {
    ;({ server, browser } = stage)
    admin = await makeAdmin(server)
    owner = await makeUser(server, { plan: 'business' })
    await server.sql(
      'alter table app.abuse_reports drop constraint abuse_reports_destination_check',
    )
    for (const [index, text] of scriptInjections.entries()) {
      const user = await makeUser(server)
      await server.sql(
        'update app.profiles set email = $2, display_name = left($3, 100) where id = $1',
        [user.id, `${text}${index}`, text],
      )
      await makeReport(server, {
        name: `hostile-${index}`,
        details: text,
        destination: text,
        reporter: `${text}xyz`,
      })
      await server.sql(`insert into app.blocks (kind, value, reason) values ('host', $1, $2)`, [
        `host-${index}.example`,
        text,
      ])
      await server.sql(
        `insert into app.audit_log (actor_role, action, target_kind, target_id, before, after)
       values ('system', left($1, 60), left($1, 40), $1, jsonb_build_object($1::text, $1::text), jsonb_build_object('x', $1::text))`,
        [text],
      )
      await server.sql(
        `insert into app.payouts (affiliate_user_id, amount_cents, reference, made_by) values ($1, 1, $2, $1)`,
        [user.id, text],
      )
    }
    await addLinks()
  },
  { isFresh: true },
)

async function addLinks(): Promise<void> {
  for (const text of scriptInjections) {
    const url = `https://hostile.example/?${encodeURIComponent('q')}=${text.replaceAll(/[\s\u2028\u2029<>"'`{}\\^|]/g, (sign) => encodeURIComponent(sign))}`
    await server.sql(`insert into app.shortened_urls (user_id, original_url) values ($1, $2)`, [
      owner.id,
      url,
    ])
  }
}

/** Remembers the scripts that run, by the questions they ask. */
async function openWatched(): Promise<{ page: Page; ran: string[] }> {
  const page = await openPage(browser, server.url, { user: admin })
  const ran: string[] = []
  page.on('dialog', (dialog) => {
    ran.push(dialog.message())
    void dialog.dismiss()
  })
  return { page, ran }
}

/** Elements that only a text taken for HTML could have made: no script may run here, so none would tell by itself. */
function traces(page: Page): Promise<number> {
  return page.evaluate(() => {
    const foreign =
      'script, style, link, meta, base, img, iframe, object, embed, video, audio, math, template, details:not([data-audit-entry]), form[action]'
    return [...document.querySelectorAll('main *')].filter(
      (element) =>
        element.matches(foreign) ||
        element.getAttributeNames().some((name) => name.startsWith('on')),
    ).length
  })
}

/** The texts of all pages of a list. */
async function readAll(page: Page): Promise<string> {
  let read = ''
  const more = page.getByRole('button', { name: /^(Load More|Next)$/ })
  for (;;) {
    await page.waitForTimeout(400)
    read += await page.getByRole('main').textContent()
    expect(await traces(page)).toBe(0)
    if ((await more.count()) === 0 || !(await more.isEnabled())) return read
    await more.click()
  }
}

const screens = [
  ['/admin/users', 'Total users'],
  ['/admin/links', 'host-0.example'],
  ['/admin/reports', 'hostile-59'],
  ['/admin/payouts', '$0.01'],
  ['/admin/audit', 'system did'],
] as const

it.each(screens)(
  'an admin screen shows 60 injections in the columns of %s, and runs none',
  async (path, ready) => {
    const { page, ran } = await openWatched()
    await page.goto(path)
    await page.getByText(ready).first().waitFor()
    const read = await readAll(page)
    expect(scriptInjections.filter((text) => !read.includes(text))).toEqual([])
    expect(ran).toEqual([])
    await page.context().close()
  },
)

it('an admin screen runs none in destinations, dialogs and searches', async () => {
  const { page, ran } = await openWatched()
  await page.goto('/admin/links?by=host&value=hostile.example')
  await page.getByRole('table', { name: 'Links found' }).waitFor()
  await readAll(page)
  await page.goto('/admin/users?q=onerror')
  await page
    .getByRole('button', { name: /^Edit / })
    .first()
    .click()
  await page.getByRole('dialog').getByLabel('Display Name').waitFor()
  expect(await traces(page)).toBe(0)
  for (const text of scriptInjections.slice(0, 20)) {
    const value = encodeURIComponent(JSON.stringify(text))
    await page.goto(`/admin/links?by=code&value=${value}`)
    await page.getByRole('heading', { name: `No links found for “${text}”` }).waitFor()
    expect(await traces(page)).toBe(0)
  }
  expect(ran).toEqual([])
  await page.context().close()
})

it('the check notices texts that a page takes for HTML (control)', async () => {
  const { page, ran } = await openWatched()
  await page.goto('/admin/users')
  await page.getByText('Total users').waitFor()
  await page.evaluate((texts) => {
    for (const text of texts) {
      const box = document.createElement('div')
      box.innerHTML = text
      document.querySelector('main')?.append(box)
    }
  }, scriptInjections)
  expect(await traces(page)).toBeGreaterThan(45)
  await page.evaluate(() => window.alert('ran'))
  expect(ran).toEqual(['ran'])
  // The browser complains of nearly each of them.
  forgive(/./)
  await page.context().close()
})
