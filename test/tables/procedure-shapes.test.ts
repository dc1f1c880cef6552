import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { procedureShapes } from '#server/tables/openapi/procedure-shapes.ts'
import { apiCatalog } from '#test/catalog.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { visit } from '#test/visits/visit.ts'
import { countOf, plantLinks } from '#test/visits/plant.ts'
import { actingFor } from '#test/spaces/space-client.ts'
import { send } from './accounts.ts'
import { makeWorld, type World } from './rights/matrix.ts'

// The description of the procedures against their answers: the words of arguments, and the JSON of results.

let server: TestServer
let world: World
let moved: string
beforeAll(async () => {
  server = await startTestServer()
  world = await makeWorld(server)
  const { shortened_urls: link = '', popups: popup } = world.keys
  await server.sql(
    `insert into app.link_rules (link_id, rules)
      values ($1, '[{"id":"r1","when":[{"fact":"country","is":["DE"]}],"split":[{"id":"v1","to":"https://example.com/a","weight":50},{"id":"v2","to":"https://example.com/b","weight":50}]}]')`,
    [link],
  )
  await server.sql(
    `update app.shortened_urls set original_url = 'https://example.com/2' where id = $1`,
    [link],
  )
  // The world has a word for every text.
  await server.sql(`update app.profiles set time_zone = 'Europe/Berlin'`)
  await server.sql(
    `insert into app.invitations (account_id, role, token_hash) values ($1, 'viewer', sha256('secret'))`,
    [world.keys['spaces']],
  )
  const [planted] = await plantLinks(
    server.sql,
    [{ code: 'ann-moved', url: 'https://example.com/moved' }],
    world.accounts.owner.id,
  )
  moved = planted?.id ?? ''
  const before = await countOf(server.sql, link)
  for (const query of ['?utm_source=letter', '?qr'])
    await visit(server.url, `/ann-link${query}`, { headers: { referer: 'https://example.org/' } })
  await vi.waitFor(async () => expect(await countOf(server.sql, link)).toBeGreaterThan(before), {
    timeout: 60_000,
    interval: 100,
  })
  await server.sql(
    `insert into app.popup_events (at, visitor, popup, surface, account, action, verdict)
      select now() - interval '1 minute', 7, p.scope, l.scope, p.account, 's', 'c'
      from app.click_scopes_of(array[$1::uuid]) p, app.click_scopes_of(array[$2::uuid]) l`,
    [popup, link],
  )
})
afterAll(async () => {
  await world.close()
  await server.close()
})

/** The arguments of a call that answers with something, by procedure. */
function callsOf({ keys, accounts: { owner, other } }: World): Record<string, object> {
  const range = {
    _from: new Date(Date.now() - 86_400_000).toISOString(),
    _to: new Date(Date.now() + 3_600_000).toISOString(),
  }
  const link = { _link: keys['shortened_urls'] }
  const scope = { _scope: 'link', _id: keys['shortened_urls'] }
  const days = { _from: '2026-01-01', _to: '2026-12-31' }
  return {
    click_report: { ...scope, ...range, _by: 'day' },
    click_hits: { ...scope, ...range },
    click_integrity: { _scope: 'account' },
    click_trends: { _kind: 'link', _ids: [keys['shortened_urls']] },
    popup_report: { _id: keys['popups'], ...range },
    split_report: { ...link, ...range },
    missed_codes: days,
    link_health: {},
    destination_check: link,
    click_mails: {},
    can_create_url: { _user_id: owner.id },
    increment_qr_usage: { _user_id: owner.id },
    create_links: {
      _links: [{ original_url: 'https://example.com/' }, { original_url: 'javascript:x' }],
    },
    link_history: { _short_code: 'ann-link' },
    link_rules: link,
    simulate_visit: { ...link, _visit: { country: 'DE' } },
    save_link_rules: { ...link, _rules: [], _version: 0 },
    check_domain: { _id: keys['domains'] },
    free_code: { _short_code: 'ann-link' },
    suggest_codes: { _url: 'https://example.com/spring', _title: '' },
    count_visit: { short_code: 'ann-link' },
    popup_uses: { _popup_ids: [keys['popups']] },
    save_bio_page: { page: { title: 'Ann' } },
    audience: {},
    tag_leads: { _ids: [keys['leads']], _add: ['a'] },
    erase_lead: { _email: 'ann@example.com' },
    needs_admin: {},
    session_facts: {},
    create_space: { _slug: 'team', _name: 'Team' },
    create_invitation: { _role: 'viewer' },
    renew_invitation: { _id: keys['invitations'] },
    preview_move: { _links: [moved], _to_account: keys['spaces'] },
    move_links: { _links: [moved], _to_account: keys['spaces'] },
    set_member_role: { _person: owner.id, _role: 'owner' },
    read_invitation: { _token: 'secret' },
    accept_invitation: { _token: 'secret' },
    link_kinds: {},
    affiliate_summary: {},
    commission_lines: {},
    track_referral: { _referred_user_id: owner.id, _referrer_code: 'BOBBOB01' },
    admin_activity: {},
    admin_block: { _kind: 'user', _value: other.id },
    admin_blocks: {},
    admin_audit: {},
    admin_find_links: { _by: 'code', _value: 'ann-link' },
    admin_held_commissions: {},
    admin_latest_links: {},
    admin_make_payout: { _affiliate: owner.id },
    admin_payouts: {},
    admin_payouts_due: {},
    admin_reports: {},
    admin_users: {},
  }
}

const call = (name: string, args: object) => {
  const { owner, other, admin } = world.accounts
  const path = `rpc/${name}`
  if (/^(create|renew)_invitation$|^set_member_role$/.test(name))
    return send(server, actingFor(world.keys['spaces'] ?? '', owner), 'POST', path, args)
  if (name === 'accept_invitation') return send(server, other, 'POST', path, args)
  return send(server, name.startsWith('admin_') ? admin : owner, 'POST', path, args)
}

it('each procedure answers as it is described, and every one is asked', async () => {
  const calls = callsOf(world)
  const wrong: unknown[] = []
  for (const [name, args] of Object.entries(calls)) {
    const { status, body } = await call(name, args)
    const { result } = procedureShapes[name] ?? {}
    if (status !== (result ? 200 : 204)) wrong.push({ name, status, body })
    if (!result || status !== 200) continue
    const { data, error } = result.safeParse(body)
    // A shape drops keys that it does not know.
    if (error || !isDeepStrictEqual(data, body)) wrong.push({ name, error, body, data })
  }
  expect(wrong).toEqual([])
  const asked = [...apiCatalog.functions.values()]
    .filter(({ returns }) => returns === 'value' || returns === 'list')
    .map(({ name }) => name)
  expect(asked.filter((name) => !(name in calls))).toEqual([])
})

it('the answer of no procedure is described as anything at all', async () => {
  const { body } = await send(server, world.accounts.admin, 'GET', '')
  const { paths } = body as {
    paths: Record<
      string,
      Record<
        string,
        { responses: Record<string, { content?: Record<string, { schema: object }> }> }
      >
    >
  }
  const silent = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ responses }) => {
      const schema = responses['200']?.content?.['application/json']?.schema
      return schema && Object.keys(schema).length === 0 ? [path] : []
    }),
  )
  expect(silent).toEqual([])
})

it('a word that is not described is refused with a sentence, and each that is described is taken', async () => {
  const calls = callsOf(world)
  for (const [name, { args = {} }] of Object.entries(procedureShapes)) {
    // The role of an account and a block would change who may ask.
    if (/^admin_(?!find|reports|users)/.test(name)) continue
    for (const [argument, shape] of Object.entries(args)) {
      const words = (shape as { options?: string[] }).options
      if (!words?.every((word) => typeof word === 'string')) continue
      const asked = async (word: string | null) => {
        const { status, body } = await call(name, { ...calls[name], [argument]: word })
        return { name, argument, word, status, code: (body as { code?: string } | null)?.code }
      }
      for (const word of ['bad', ''])
        expect(await asked(word)).toMatchObject({ status: 400, code: '22023' })
      for (const word of words) expect((await asked(word)).code).not.toBe('22023')
    }
  }
})
