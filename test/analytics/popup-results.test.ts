import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type PopupAction, popupActions } from '#domain/popups/popup-actions.ts'
import { plantPopupLink, type PlantedPopupLink } from '#test/pages/plant.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { browser, visit } from '#test/visits/visit.ts'
import { beacon, plantPopupLinks, storedEvents } from './popup-links.ts'
import { hoursAgo } from './reports.ts'

let server: TestServer
let owner: Account
let first: PlantedPopupLink
let second: PlantedPopupLink
beforeAll(async () => {
  server = await startTestServer()
  ;({ owner, first, second } = await plantPopupLinks(server))
})
afterAll(() => server.close())

async function tell(link: PlantedPopupLink, ...actions: PopupAction[]): Promise<void> {
  for (const action of actions)
    expect((await beacon(server, `/${link.code}/popup/${action}`)).status).toBe(204)
}

async function whenStored(events: number): Promise<void> {
  await vi.waitFor(async () => expect(await storedEvents(server)).toBe(events), {
    timeout: 60_000,
    interval: 50,
  })
}

interface PopupReport {
  time_zone: string
  served: number | null
  actions: Record<PopupAction, number>
  people: Record<PopupAction, number>
  series: { key: string; shown: number; clicked: number; emailed: number }[]
  surfaces: { kind: string; id: string; label: string; actions: Record<string, number> }[]
}

const ask = (account: Account, id: string, given: Record<string, unknown> = {}) =>
  send(server, account, 'POST', 'rpc/popup_report', {
    _id: id,
    _from: hoursAgo(24 * 30),
    _to: hoursAgo(-1),
    ...given,
  })

async function reportOf(account: Account, id: string, given = {}): Promise<PopupReport> {
  const { status, body } = await ask(account, id, given)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body as PopupReport
}

it('an untouched popup has an empty report', async () => {
  const { actions, surfaces, served, series } = await reportOf(owner, first.popupId)
  expect(Object.values(actions).every((n) => n === 0)).toBe(true)
  expect(Object.keys(actions).toSorted()).toEqual([...popupActions].toSorted())
  expect({ surfaces, served }).toEqual({ surfaces: [], served: 0 })
  expect(series.length).toBeGreaterThanOrEqual(30)
})

it('actions on popups are in the report, by link, and move no count of clicks', async () => {
  const [one, two] = [first, second]
  for (const { code } of [one, one, two]) await visit(server.url, `/${code}`)
  await tell(one, 'shown', 'closed-escape', 'reached')
  await tell(two, 'shown', 'clicked', 'reached')
  const answer = await beacon(server, `/${two.code.toUpperCase()}/popup/left`, {
    'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0',
  })
  expect(answer.header('cache-control')).toBe('no-store')
  expect(answer.header('content-length')).toBeUndefined()
  expect(answer.body).toBe('')
  await whenStored(7)

  const report = await reportOf(owner, one.popupId)
  const none = Object.fromEntries(popupActions.map((action) => [action, 0]))
  expect(report.actions).toEqual({
    ...none,
    shown: 2,
    'closed-escape': 1,
    clicked: 1,
    reached: 2,
    left: 1,
  })
  expect(report.people).toEqual({
    ...none,
    shown: 1,
    'closed-escape': 1,
    clicked: 1,
    reached: 1,
    left: 1,
  })
  expect(report.served).toBe(3)
  const days = report.series.filter(({ shown, clicked }) => shown + clicked > 0)
  expect(days).toMatchObject([{ shown: 2, clicked: 1, emailed: 0 }])
  const both = { shown: 1, reached: 1 }
  expect(report.surfaces.toSorted((a, b) => a.label.localeCompare(b.label))).toEqual([
    { kind: 'link', id: one.id, label: one.code, actions: { ...both, 'closed-escape': 1 } },
    { kind: 'link', id: two.id, label: two.code, actions: { ...both, clicked: 1, left: 1 } },
  ])

  // The second 'shown' and 'reached' of the same visitor are repeats; another action is none.
  const once = await reportOf(owner, one.popupId, { _include: [] })
  expect(once.actions).toEqual(report.people)
  const [counts] = await server.sql<{ links: string; hits: number }>(
    `select (select sum(click_count) from app.shortened_urls) as links, (select count(*)::int from app.click_events) as hits`,
  )
  expect(counts).toEqual({ links: '3', hits: 3 })
  const clicks = await send(server, owner, 'POST', 'rpc/click_integrity', {})
  expect(clicks.body).toMatchObject({ received: 3, counted: 3 })
})

describe('the report', () => {
  it('is for the owner and admins, and does not exist for others', async () => {
    const popup = first.popupId
    const other = await makeAccount(server, { plan: 'business' })
    const refused = await ask(other, popup)
    const missing = await ask(other, '00000000-0000-4000-8000-000000000000')
    expect(refused.status).toBe(404)
    expect(refused.body).toEqual(missing.body)
    // Nor is a link a popup.
    expect((await ask(owner, first.id)).status).toBe(404)
    const admin = await makeAccount(server, { role: 'admin' })
    expect((await reportOf(admin, popup)).actions.shown).toBe(2)
    expect((await ask(await makeAccount(server, { plan: 'free' }), popup)).body).toMatchObject({
      message: 'Upgrade to view clicks',
      hint: 'plan',
    })
    expect((await send(server, undefined, 'POST', 'rpc/popup_report', {})).status).not.toBe(200)
  })

  it.each([
    ['a range that ends before it begins', { _from: hoursAgo(1), _to: hoursAgo(2) }],
    ['endless time', { _from: '-infinity' }],
    ['an unknown switch', { _include: ['bots'] }],
  ])('refuses %s', async (_name, given) => {
    expect(await ask(owner, first.popupId, given)).toMatchObject({
      status: 400,
      body: { code: '22023' },
    })
  })
})

describe('a beacon', () => {
  const isNotRecorded = async (send: () => Promise<{ status: number }>, status = 204) => {
    const before = await storedEvents(server)
    expect((await send()).status).toBe(status)
    // The one after it is: everything before it has been applied.
    await tell(first, 'shown')
    await whenStored(before + 1)
  }
  const path = (action: string) => `/${first.code}/popup/${action}`

  it.each(['closed', 'toString', 'shown%00', '%E2%98%83', 's'.repeat(50)])(
    'of the unknown action %s is answered like others and not recorded',
    (action) => isNotRecorded(() => beacon(server, path(action))),
  )

  it.each([
    ['cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['same-site', { 'sec-fetch-site': 'same-site' }],
    ['of another origin', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
    ['of no origin', { 'sec-fetch-site': '', origin: 'null' }],
  ])('that is %s is not recorded', (_name, headers) =>
    isNotRecorded(() => beacon(server, path('clicked'), headers)),
  )

  it('of an older browser is known by its origin', async () => {
    const before = await storedEvents(server)
    const answer = await visit(server.url, path('shown'), {
      method: 'POST',
      headers: { origin: server.url, 'content-length': '0' },
    })
    expect(answer.status).toBe(204)
    await whenStored(before + 1)
  })

  it('of a name without a popup, of an inactive one and of no name is answered like others', async () => {
    const plain = second
    await server.sql(
      'update app.shortened_urls set show_popup = false, popup_id = null where id = $1',
      [plain.id],
    )
    // As soon as the server has heard of it.
    await vi.waitFor(
      async () => expect((await visit(server.url, `/${plain.code}`)).status).toBe(302),
      { timeout: 60_000, interval: 50 },
    )
    await isNotRecorded(() => beacon(server, `/${plain.code}/popup/shown`))
    await isNotRecorded(() => beacon(server, '/no-such-name/popup/shown'))
    const off = await plantPopupLink(server.sql, { is_active: false })
    await isNotRecorded(() => beacon(server, `/${off.code}/popup/shown`))
  })

  it('with a body is answered without reading it, and not recorded', async () => {
    const answers = () =>
      new Promise<{ status: number }>((resolve, reject) => {
        const headers = {
          'sec-fetch-site': 'same-origin',
          'user-agent': browser,
          'content-length': '1000000000',
        }
        const sent = request(
          new URL(path('clicked'), server.url),
          { method: 'POST', headers },
          (answer) => {
            resolve({ status: answer.statusCode ?? 0 })
            expect(answer.headers.connection).toBe('close')
            answer.resume()
            sent.destroy()
          },
        )
        sent.on('error', reject)
        sent.write('x')
      })
    await isNotRecorded(answers)
  })

  it('is no page: other methods and other paths find nothing', async () => {
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect((await beacon(server, path('shown'), {}, method)).status).toBeGreaterThanOrEqual(404)
    for (const odd of [
      '/rest/popup/shown',
      `${path('shown')}/more`,
      `/${'x'.repeat(60)}/popup/shown`,
      `/x/popup/${'y'.repeat(8_300)}`,
      '/../popup/shown',
      '/%00/popup/shown',
    ]) {
      const { status } = await beacon(server, odd)
      expect({ odd, isRefused: status >= 400 && status < 500 }).toEqual({ odd, isRefused: true })
    }
  })

  it('of a bot, and of a page that is fetched ahead, counts for no person', async () => {
    const before = await storedEvents(server)
    const shownBefore = (await reportOf(owner, first.popupId)).actions.shown
    await beacon(server, path('shown'), {
      'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)',
    })
    await beacon(server, path('shown'), { 'sec-purpose': 'prefetch;prerender' })
    await whenStored(before + 2)
    expect((await reportOf(owner, first.popupId)).actions.shown).toBe(shownBefore)
  })
})

it('an address has 60 beacons a minute; the rest gets the same answer', async () => {
  const limited = await startTestServer({ rateLimits: true })
  try {
    const link = (await plantPopupLinks(limited)).first
    await visit(limited.url, `/${link.code}`)
    const answers = await Promise.all(
      Array.from({ length: 90 }, () => beacon(limited, `/${link.code}/popup/shown`)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
    await vi.waitFor(async () => expect(await storedEvents(limited)).toBeGreaterThanOrEqual(60), {
      timeout: 60_000,
      interval: 50,
    })
    await limited.context.visits.close()
    // One more comes back each second.
    expect(await storedEvents(limited)).toBeLessThan(90)
  } finally {
    await limited.close()
  }
})
