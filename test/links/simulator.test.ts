import { beforeAll, describe, expect, it } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { makeLink, type RuledLink, save } from './rules.ts'

let server: TestServer
let ann: Account
let link: RuledLink
const special = 'https://example.com/special'
beforeAll(async () => {
  server = await sharedServer()
  ann = await makeAccount(server, { plan: 'business' })
  link = await makeLink(server, ann)
  const rules = [
    {
      id: 'berlin',
      when: [
        { fact: 'country', is: ['DE'] },
        { fact: 'in_app', is: ['instagram'] },
        { fact: 'hours', is: ['17:00-22:00'], zone: 'Europe/Berlin' },
        { fact: 'first_visit', is: [false] },
      ],
      to: special,
    },
    { id: 'apps', when: [{ fact: 'in_app', is: ['any'] }], to: 'https://example.com/app' },
    {
      id: 'rest',
      else: true,
      split: [
        { id: 'a', weight: 50 },
        { id: 'b', to: 'https://example.com/b', weight: 50 },
      ],
    },
  ]
  const { status } = await save(server, ann, link, 0, rules)
  expect(status).toBe(200)
})

const simulate = (visit: unknown, who: Account | undefined = ann, of = link) =>
  send(server, who, 'POST', 'rpc/simulate_visit', { _link: of.id, _visit: visit })

const instagram =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 350.0.0.0'
const christmas = {
  country: 'DE',
  user_agent: instagram,
  first_visit: false,
  at: '2026-12-24T18:00:00+01:00',
}
const redirect = { outcome: 'redirect', status: 302, popup_id: null, variant_id: null }

describe('simulate_visit', () => {
  it('says which rule decides, and why those before it do not', async () => {
    expect((await simulate(christmas)).body).toEqual({
      ...redirect,
      address: special,
      rule_id: 'berlin',
      skipped: [],
    })
    expect((await simulate({ ...christmas, at: '2026-12-24T12:00:00+01:00' })).body).toEqual({
      ...redirect,
      address: 'https://example.com/app',
      rule_id: 'apps',
      skipped: [
        {
          rule_id: 'berlin',
          condition: 2,
          why: 'It is 12:00 in Europe/Berlin, and the rule asks for 17:00-22:00.',
        },
      ],
    })
    expect((await simulate({ in_app: 'none', share: 70 })).body).toMatchObject({
      address: 'https://example.com/b',
      rule_id: 'rest',
      variant_id: 'b',
      skipped: [
        { why: 'The country is not known, so a condition about it does not hold.' },
        { why: 'The link is not opened in an app, and the rule asks for any app.' },
      ],
    })
  })

  it('answers a GET with the visit as JSON', async () => {
    const query = new URLSearchParams({ _link: link.id, _visit: JSON.stringify(christmas) })
    const { status, body } = await send(server, ann, 'GET', `rpc/simulate_visit?${query}`)
    expect([status, body]).toMatchObject([200, { address: special }])
  })

  it('shows the other outcomes of a link', async () => {
    const title = `Sale`
    const popup = { user_id: ann.id, title, cta_url: 'https://example.com/cta' }
    const made = await send(server, ann, 'POST', 'popups?select=id', popup, {
      prefer: 'return=representation',
    })
    const [{ id: popup_id } = { id: '' }] = made.body as { id: string }[]
    const guarded = await makeLink(server, ann, {
      password: 'open sesame',
      ends_at: '2030-01-01T00:00:00Z',
      fallback_url: 'https://example.com/over',
      popup_id,
      show_popup: true,
    })
    const outcome = async (visit: object) => (await simulate(visit, ann, guarded)).body
    expect(await outcome({})).toMatchObject({ outcome: 'password', address: null, skipped: [] })
    expect(await outcome({ password: true })).toMatchObject({
      outcome: 'interstitial',
      address: guarded.original_url,
      popup_id,
      rule_id: null,
    })
    expect(await outcome({ at: '2031-01-01T00:00:00Z' })).toMatchObject({
      outcome: 'ended',
      address: 'https://example.com/over',
    })
    const path = `shortened_urls?id=eq.${guarded.id}`
    await send(server, ann, 'PATCH', path, { is_disabled: true })
    expect(await outcome({ password: true })).toMatchObject({ outcome: 'off', address: null })
  })

  it('counts nothing, and is for the owner and admins', async () => {
    const bob = await makeAccount(server)
    const admin = await makeAccount(server, { role: 'admin' })
    expect(await simulate(christmas, bob)).toMatchObject({ status: 404 })
    expect(await simulate(christmas, admin)).toMatchObject({ status: 200 })
    expect(
      await send(server, undefined, 'POST', 'rpc/simulate_visit', { _link: link.id, _visit: {} }),
    ).toMatchObject({ status: 401 })
    const [row] = await server.sql<{ click_count: string }>(
      'select click_count from app.shortened_urls where id = $1',
      [link.id],
    )
    expect(row?.click_count).toBe('0')
  })

  it.each<[unknown, string]>([
    [{ country: 'UK' }, 'country: This is not a country code such as DE or US'],
    [{ moon: 1 }, 'A visit has no moon'],
    [null, 'A visit is an object'],
    [
      { at: 'tomorrow' },
      'at: This is not a date and time with its offset, such as 2026-12-24T18:00:00+01:00',
    ],
  ])('refuses %j with a sentence', async (visit, message) => {
    expect(await simulate(visit)).toMatchObject({ status: 400, body: { code: '22023', message } })
  })
})
