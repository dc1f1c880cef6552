/** @module-tag extended */
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { plantBio, plantPopup, plantPopupLink } from '#test/pages/plant.ts'
import { forgive, openPage, type Visit } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

// Each form of a page for visitors, sent as a person sends it under the real Content-Security-Policy. A page that a
// policy stops fails its test: each report of a violation is an error in the console (browser.ts).

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

/** Two other origins: the first one leads on to the second one, as `http://shop.example` to `https://www.shop.example`. */
let elsewhere: Server
let first: string
let last: string
beforeAll(async () => {
  elsewhere = createServer((request, response) => {
    if (request.headers.host?.startsWith('127.0.0.1')) {
      response.writeHead(request.method === 'POST' ? 303 : 302, {
        location: `${last}${request.url}`,
      })
      return response.end()
    }
    response.setHeader('Content-Type', 'text/html')
    return response.end('<link rel="icon" href="data:,"><title>There</title><h1>There</h1>')
  }).listen(0)
  await once(elsewhere, 'listening')
  const { port } = elsewhere.address() as AddressInfo
  first = `http://127.0.0.1:${port}`
  last = `http://localhost:${port}`
})
afterAll(() => elsewhere.close())

const password = 'open sesame'
const scripts = [
  ['with script', {}],
  ['without script', { hasScript: false }],
] as const satisfies [string, Visit][]

async function enter(page: Page, typed: string): Promise<void> {
  await page.getByLabel('Password').fill(typed)
  await page.keyboard.press('Enter')
}

async function expectThere(page: Page, path: string): Promise<void> {
  await page.getByRole('heading', { name: 'There' }).waitFor()
  expect(page.url()).toBe(`${last}${path}`)
}

describe('the password of a link', () => {
  let owner: TestUser
  beforeAll(async () => {
    owner = await makeUser(server, { plan: 'business' })
  })
  const locked = (columns: Record<string, unknown> = {}) =>
    makeLink(server, owner, { original_url: `${first}/menu`, password, ...columns } as object)

  it('leads to another site, which may lead on', { tags: ['gate'] }, async () => {
    const { short_code: code } = await locked({ forward_query: 'all' })
    const page = await openPage(browser, server.url)
    await page.goto(`/${code}?table=4`)
    await enter(page, 'open barley')
    await page.getByText('This is not the password. Please try again.').waitFor()
    await enter(page, password)
    await expectThere(page, '/menu?table=4')
    // Back leads to the link again, which knows the visitor.
    await page.goto(`/${code}`)
    await expectThere(page, '/menu')
    forgive(/status of 403/)
    await page.context().close()
  })

  it('leads there without script, and by a rule', async () => {
    const { id, short_code: code } = await locked()
    const _rules = [{ when: [{ fact: 'device', is: ['desktop'] }], to: `${first}/desktop` }]
    const saved = await fetch(`${server.url}/rest/v1/rpc/save_link_rules`, {
      method: 'POST',
      headers: { ...owner.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ _link: id, _rules, _version: 0 }),
    })
    expect(saved.status).toBe(200)
    const page = await openPage(browser, server.url, { hasScript: false })
    await page.goto(`/${code.toUpperCase()}`)
    await enter(page, password)
    await expectThere(page, '/desktop')
    await page.context().close()
  })

  it.each(scripts)('leads to the popup of the link, and on, %s', async (_, visit) => {
    const popup = await plantPopup(server.sql, { cta_text: 'Go', user_id: owner.id })
    const { short_code: code } = await locked({ show_popup: true, popup_id: popup.id })
    const page = await openPage(browser, server.url, visit)
    await page.goto(`/${code}`)
    await enter(page, password)
    if ('hasScript' in visit) await page.getByRole('link', { name: /^Continue to/ }).click()
    else await page.getByRole('dialog').getByRole('button', { name: 'Go' }).click()
    await expectThere(page, '/menu')
    await page.context().close()
  })

  it.each([301, 307, 308])('leads there with the status %i', async (redirect_status) => {
    const { id, short_code: code } = await locked()
    await server.sql('update app.shortened_urls set redirect_status = $2 where id = $1', [
      id,
      redirect_status,
    ])
    const page = await openPage(browser, server.url)
    await page.goto(`/${code}`)
    await enter(page, password)
    await expectThere(page, '/menu')
    await page.context().close()
  })
})

it.each(scripts)('the password of a shared report opens it, %s', async (_, visit) => {
  const owner = await makeUser(server, { plan: 'pro' })
  const link = await makeLink(server, owner)
  const shared = await fetch(`${server.url}/rest/v1/shared_reports?select=token`, {
    method: 'POST',
    headers: {
      ...owner.headers,
      'content-type': 'application/json',
      prefer: 'return=representation',
      accept: 'application/vnd.pgrst.object+json',
    },
    body: JSON.stringify({ link_id: link.id, password }),
  })
  const { token } = (await shared.json()) as { token: string }
  const page = await openPage(browser, server.url, visit)
  await page.goto(`/analytics/shared/${token}?days=7`)
  await enter(page, 'open barley')
  await page.getByText('This is not the password. Please try again.').waitFor()
  await enter(page, password)
  await page.getByRole('heading', { name: link.short_code }).waitFor()
  expect(page.url()).toContain('?days=7')
  forgive(/status of 403/)
  await page.context().close()
})

it.each(scripts)('the form behind Report is sent, %s', async (_, visit) => {
  const { slug } = await plantBio(server.sql)
  const page = await openPage(browser, server.url, visit)
  await page.goto(`/report?name=${slug}`)
  await page.getByRole('radio').first().check()
  await page.getByLabel('Details').fill('It pretends to be my bank.')
  await page.getByRole('button', { name: 'Send report' }).click()
  await page.getByRole('heading', { name: 'Thank you for your report' }).waitFor()
  await page.context().close()
})

describe('the email form of a popup', () => {
  const given = (popup: string) =>
    server.sql('select email from app.leads where popup_id = $1', [popup])

  const give = async (page: Page) => {
    await page.getByLabel('Email address').fill('me@example.com')
    await page.keyboard.press('Enter')
  }

  it.each(scripts)('of a link keeps the address, and leads on, %s', async (_, visit) => {
    const link = await plantPopupLink(server.sql, { collect_email: true }, `${first}/menu`)
    const page = await openPage(browser, server.url, visit)
    await page.goto(`/${link.code}`)
    await give(page)
    await page.getByText('Your email address was saved.').waitFor()
    if ('hasScript' in visit) {
      await page.getByRole('link', { name: 'Continue' }).click()
      await page.getByRole('link', { name: /^Continue to/ }).click()
    }
    await expectThere(page, '/menu')
    expect(await given(link.popupId)).toEqual([{ email: 'me@example.com' }])
    await page.context().close()
  })

  it.each(scripts)('of a bio page keeps the address, %s', async (_, visit) => {
    const bio = await plantBio(server.sql, { popup: { collect_email: true } })
    const page = await openPage(browser, server.url, visit)
    await page.goto(`/${bio.slug}`)
    await give(page)
    await page.getByText('Your email address was saved.').waitFor()
    const kept = await server.sql('select email from app.leads where user_id = $1', [bio.owner])
    expect(kept).toEqual([{ email: 'me@example.com' }])
    await page.context().close()
  })

  it.each(scripts)('for another site leads there, and on from there, %s', async (_, visit) => {
    const columns = { collect_email: true, cta_url: 'https://crm.example/in' }
    const link = await plantPopupLink(server.sql, columns, `${first}/menu`)
    const page = await openPage(browser, server.url, visit)
    // A form goes to https only; this one leads on to a page without.
    await page
      .context()
      .route('https://crm.example/in', (route) =>
        route.fulfill({ status: 303, headers: { location: `${first}/thanks` } }),
      )
    await page.goto(`/${link.code}`)
    const opened = page.context().waitForEvent('page')
    await give(page)
    await expectThere(await opened, '/thanks')
    await page.context().close()
  })
})

describe('the pages that a mailed link of an audience opens', () => {
  async function tokens() {
    const { popupId } = await plantPopupLink(server.sql, { collect_email: true })
    const [lead] = await server.sql<{ confirm: string; leave: string }>(
      `select gen_random_uuid()::text as confirm, lead::text as leave
        from app.add_lead($1, 1, 'me@example.com', null, null)`,
      [popupId],
    )
    return { popupId, ...lead }
  }

  it.each(scripts)('take the unsubscription and the confirmation, %s', async (_, visit) => {
    const { popupId, confirm = '', leave } = await tokens()
    const [row] = await server.sql<{ token: string }>(
      `update app.leads set state = 'pending', confirmed_at = null where id = $1 returning unsubscribe_token as token`,
      [leave],
    )
    await server.sql(`select app.open_lead_confirmation($1, sha256(convert_to($2, 'utf8')))`, [
      leave,
      confirm,
    ])
    const page = await openPage(browser, server.url, visit)
    await page.goto(`/audience/confirm/${confirm}`)
    await page.getByRole('button', { name: 'Confirm email address' }).click()
    await page.getByText('Your address is confirmed.').waitFor()
    await page.goto(`/audience/leave/${row?.token}`)
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByRole('heading', { name: 'You have unsubscribed' }).waitFor()
    const left = await server.sql('select state from app.leads where popup_id = $1', [popupId])
    expect(left).toEqual([{ state: 'unsubscribed' }])
    await page.context().close()
  })
})

it('every form of a page for visitors is among these, or has its own test', async () => {
  const folder = new URL('../../public-pages/', import.meta.url)
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.tsx'))
  const forms = []
  for (const file of files) {
    const { length } = (await readFile(new URL(file, folder), 'utf8')).split('<form').slice(1)
    if (length > 0) forms.push([file, length])
  }
  expect(Object.fromEntries(forms)).toEqual({
    'audience-page.tsx': 1,
    'link/link-pages.tsx': 1,
    // mailed-link.test.ts
    'mailed-link-page.tsx': 1,
    'popup/popup-card.tsx': 1,
    'report/report-page.tsx': 1,
    // money.test.ts
    'sandbox/checkout-page.tsx': 1,
    'sandbox/portal-page.tsx': 2,
    'sandbox/portal-tools.tsx': 3,
  })
})
