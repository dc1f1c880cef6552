import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { connectAgent } from '#test/mcp/agent.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { makeSpace, type TestSpace } from './space-client.ts'

let server: TestServer
let owner: Account
let from: TestSpace
let to: TestSpace
beforeAll(async () => {
  server = await sharedServer()
  owner = await makeAccount(server, { plan: 'business' })
  from = await makeSpace(server, { owner })
  to = await makeSpace(server, { owner })
})

interface Link {
  id: string
  short_code: string
}

const rpc = (who: Account | undefined, name: string, body: object = {}) =>
  send(server, who, 'POST', `rpc/${name}`, body)
const move = (who: Account, links: unknown, target: string) =>
  rpc(who, 'move_links', { _links: links, _to_account: target })
const preview = (who: Account, links: unknown, target: string) =>
  rpc(who, 'preview_move', { _links: links, _to_account: target })

async function makeLinkOf(who: Account, columns: object = {}): Promise<Link> {
  const body = { original_url: `https://example.com/${randomUUID()}`, ...columns }
  const made = await send(server, who, 'POST', 'shortened_urls', body, {
    prefer: 'return=representation',
  })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  const [row] = made.body as [Link]
  return row
}

const read = async (who: Pick<Account, 'headers'>, path: string) =>
  (await send(server, who, 'GET', path)).body
const idsOf = async (who: Account) =>
  ((await read(who, 'shortened_urls?select=id')) as { id: string }[]).map(({ id }) => id)
const usageOf = async (account: string) =>
  (
    await server.sql(
      `select total_shortened_urls as links, total_custom_codes as codes, daily_shortened_urls as today
        from app.user_usage where user_id = $1`,
      [account],
    )
  )[0]

const titled = (title: string) => ({ title })

describe('a link that moves', () => {
  it('answers for its new owner at once and keeps code, options, rules, history, placements and expectations', async () => {
    const link = await makeLinkOf(from.owner, {
      short_code: `keep-${randomUUID().slice(0, 8)}`,
      title: 'Spring',
      note: 'for the window',
      tags: ['Print', 'Spring'],
      ends_at: '2099-01-01T00:00:00Z',
      external_id: 'crm-1',
    })
    const renamed = `kept-${randomUUID().slice(0, 8)}`
    await rpc(from.owner, 'rename_link', { _link: link.id, _code: renamed })
    await send(server, from.owner, 'PATCH', `shortened_urls?id=eq.${link.id}`, {
      original_url: 'https://example.com/later',
    })
    const rules = [{ when: [{ fact: 'country', is: ['DE'] }], to: 'https://example.com/de' }]
    expect(
      (await rpc(from.owner, 'save_link_rules', { _link: link.id, _rules: rules, _version: 0 }))
        .status,
    ).toBeLessThan(300)
    await rpc(from.owner, 'create_placements', { _link: link.id, _names: ['Table 1'] })
    await send(server, from.owner, 'POST', 'link_expectations', {
      link_id: link.id,
      name: 'Germany',
      visit: { country: 'DE' },
      expected_url: 'https://example.com/de',
    })
    await server.sql(
      `update app.shortened_urls set clicks_before = 7, click_count = 3, first_click_at = now(), last_click_at = now() where id = $1`,
      [link.id],
    )
    const facts = `shortened_urls?id=eq.${link.id}&select=short_code,original_url,title,note,tags,ends_at,external_id,aliases,click_count,clicks_before,created_at,rules_version`
    const parts = [
      facts,
      `placements?link_id=eq.${link.id}`,
      `link_expectations?link_id=eq.${link.id}`,
    ]
    const before = await Promise.all(parts.map((path) => read(from.owner, path)))
    const rulesBefore = (await rpc(from.owner, 'link_rules', { _link: link.id })).body
    const follow = () =>
      fetch(`${server.url}/${link.short_code}`, { redirect: 'manual' }).then(
        ({ status, headers }) => [status, headers.get('location')],
      )
    const visited = await follow()

    const moved = await move(from.owner, [link.id], to.id)
    expect([moved.status, moved.body]).toMatchObject([
      200,
      { from_account: from.id, to_account: to.id, links: 1 },
    ])
    expect(await Promise.all(parts.map((path) => read(to.owner, path)))).toEqual(before)
    expect((await rpc(to.owner, 'link_rules', { _link: link.id })).body).toEqual(rulesBefore)
    expect(await Promise.all(parts.map((path) => read(from.owner, path)))).toEqual([[], [], []])
    expect(await follow()).toEqual(visited)
    // The former code and the code belong to the new account, so that it may release one and rename back.
    expect((await rpc(to.owner, 'release_alias', { _code: link.short_code })).status).toBe(204)
    // Both accounts can read who moved it, and the link's history has a line.
    const history = (await rpc(to.owner, 'link_history', { _short_code: renamed })).body
    expect(history).toMatchObject([
      { changed_by: owner.id, moved: { from: from.id, to: to.id } },
      { changed_by: owner.id, to_url: 'https://example.com/later', moved: null },
    ])
    for (const who of [from.owner, to.owner])
      expect(
        await read(who, 'link_moves?select=from_account,to_account,made_by,links'),
      ).toContainEqual({ from_account: from.id, to_account: to.id, made_by: owner.id, links: 1 })
    expect(await read(owner, 'link_moves')).toEqual([])
  })

  it('leaves popup, shared report and bio entry behind, and a taken external id; the preview names them', async () => {
    const [popup] = (
      await send(
        server,
        from.owner,
        'POST',
        'popups',
        { title: 'Stay', description: 'Here', cta_text: 'Go', cta_url: 'https://example.com/' },
        { prefer: 'return=representation' },
      )
    ).body as [{ id: string }]
    const taken = `crm-${randomUUID()}`
    const link = await makeLinkOf(from.owner, {
      show_popup: true,
      popup_id: popup.id,
      external_id: taken,
      tags: ['Brought'],
    })
    await makeLinkOf(to.owner, { external_id: taken })
    await send(server, from.owner, 'POST', 'shared_reports', { link_id: link.id })
    const slug = `bio-${randomUUID().slice(0, 8)}`
    const saved = await rpc(from.owner, 'save_bio_page', {
      page: { slug, title: 'Bio' },
      links: [{ title: 'Our link', url: `${server.context.config.publicUrl}/${link.short_code}` }],
    })
    expect([saved.status, saved.body]).toMatchObject([200, {}])
    expect((await preview(from.owner, [link.id], to.id)).body).toEqual({
      links: 1,
      to_name: expect.any(String),
      refusals: [],
      popups: { count: 1, names: [link.short_code] },
      shared_reports: { count: 1, names: [link.short_code] },
      bio_entries: { count: 1, names: ['Our link'] },
      external_ids: { count: 1, names: [taken] },
      new_tags: { count: 1, names: ['Brought'] },
      older_clicks: null,
    })
    expect((await move(from.owner, [link.id], to.id)).status).toBe(200)
    expect(
      await read(
        to.owner,
        `shortened_urls?id=eq.${link.id}&select=show_popup,popup_id,external_id,tags`,
      ),
    ).toEqual([{ show_popup: false, popup_id: null, external_id: null, tags: ['Brought'] }])
    expect(await read(to.owner, 'shared_reports')).toEqual([])
    expect(await read(from.owner, 'shared_reports')).toEqual([])
    expect(await read(from.owner, 'popups?select=title')).toEqual([titled('Stay')])
    expect(await read(from.owner, 'bio_links?select=title')).toEqual([titled('Our link')])
  })

  it('brings its tags by name in the spelling that the other account has', async () => {
    await send(server, to.owner, 'POST', 'tags', { name: 'SUMMER', color: '#2563eb' })
    await send(server, from.owner, 'POST', 'tags', { name: 'Autumn', color: '#db2777' })
    const link = await makeLinkOf(from.owner, { tags: ['summer', 'Autumn'] })
    expect((await move(from.owner, [link.id], to.id)).status).toBe(200)
    expect(await read(to.owner, `shortened_urls?id=eq.${link.id}&select=tags`)).toEqual([
      { tags: ['SUMMER', 'Autumn'] },
    ])
    expect(await read(to.owner, 'tags?name=eq.Autumn&select=color')).toEqual([{ color: '#db2777' }])
  })

  it('counts visits for the new owner, also by a server that remembers the former one', async () => {
    const link = await makeLinkOf(from.owner)
    const visitOnce = async (clicks: number) => {
      await visit(server.url, `/${link.short_code}`)
      await vi.waitFor(async () => expect(await hitsOf()).toBe(clicks), {
        timeout: 60_000,
        interval: 50,
      })
    }
    const hitsOf = async () =>
      (
        await server.sql<{ n: number }>(
          `select count(*)::int as n from app.click_events e join app.click_scopes s on s.id = e.scope where s.ref = $1`,
          [link.id],
        )
      )[0]?.n
    await visitOnce(1)
    expect((await move(from.owner, [link.id], to.id)).status).toBe(200)
    await visitOnce(2)
    const accounts = () =>
      server.sql<{ ref: string; n: number }>(
        `select a.ref, count(*)::int as n from app.click_events e
          join app.click_scopes s on s.id = e.scope join app.click_scopes a on a.id = e.account
        where s.ref = $1 group by 1`,
        [link.id],
      )
    expect(await accounts()).toContainEqual({ ref: to.id, n: expect.any(Number) })
    await server.context.analytics.moves.run()
    expect(await accounts()).toEqual([{ ref: to.id, n: 2 }])
    expect(await read(to.owner, `link_moves?state=eq.arriving`)).toEqual([])
  })
})

describe('a move', () => {
  it('is for people who may write in both accounts', async () => {
    const link = await makeLinkOf(from.owner)
    const editor = await from.join('editor')
    const viewer = await from.join('viewer')
    const other = await makeSpace(server)
    const foreign = []
    for (const target of [to.id, other.id, randomUUID(), viewer.person.id])
      foreign.push(await move(editor, [link.id], target))
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect(new Set(foreign.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect((await move(viewer, [link.id], viewer.person.id)).status).toBe(403)
    expect((await preview(viewer, [link.id], viewer.person.id)).status).toBe(403)
    expect((await move({ ...from.owner, headers: {} }, [link.id], to.id)).status).toBe(401)
    // A viewer there may not write.
    const token = await rpc(to.owner, 'create_invitation', { _role: 'viewer' })
    await rpc(editor.person, 'accept_invitation', {
      _token: new URL(String(token.body)).hash.slice(1),
    })
    expect((await move(editor, [link.id], to.id)).status).toBe(404)
    expect(
      (await rpc(to.owner, 'set_member_role', { _person: editor.id, _role: 'editor' })).status,
    ).toBe(204)
    expect((await move(editor, [link.id], to.id)).status).toBe(200)
    // And into the editor's own account, which they own.
    expect(
      (
        await move(
          { ...editor.person, headers: { ...editor.person.headers, 'x-hoplet-account': to.id } },
          [link.id],
          editor.person.id,
        )
      ).status,
    ).toBe(200)
    expect(await idsOf(editor.person)).toEqual([link.id])
  })

  it('is refused to API keys', async () => {
    const link = await makeLinkOf(from.owner)
    const made = await fetch(`${server.url}/auth/v1/user/api-keys`, {
      method: 'POST',
      headers: { ...from.owner.headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Mover',
        scopes: ['links:write', 'links:read'],
        expires_in_days: null,
      }),
    })
    const { key } = (await made.json()) as { key: string }
    const byKey = { ...owner, headers: { authorization: `Bearer ${key}` } }
    expect((await send(server, byKey, 'GET', `shortened_urls?id=eq.${link.id}`)).body).toHaveLength(
      1,
    )
    const refused = await move(byKey, [link.id], to.id)
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { message: expect.stringContaining('API key') },
    ])
  })

  it.each([
    ['nothing', []],
    ['no list', 'all'],
    ['a number', [1]],
    ['no id', ['x']],
    ['more than 10,000 links', Array.from({ length: 10_001 }, () => randomUUID())],
  ])('is refused for %s', async (_what, links) => {
    const refused = await move(from.owner, links, to.id)
    expect([refused.status, refused.body]).toMatchObject([400, { code: '22023', hint: '_links' }])
  })

  it('is refused to oneself, and of links that are not there', async () => {
    const mine = await makeLinkOf(from.owner)
    const foreign = await makeLinkOf(owner)
    expect((await move(from.owner, [mine.id], from.id)).body).toMatchObject({
      message: 'The links are in this account already.',
    })
    for (const id of [foreign.id, randomUUID()]) {
      const refused = await move(from.owner, [mine.id, id], to.id)
      expect([refused.status, refused.body]).toMatchObject([404, { hint: '_links' }])
    }
    expect(await idsOf(from.owner)).toContain(mine.id)
    // The control.
    expect((await move(from.owner, [mine.id, mine.id], to.id)).body).toMatchObject({ links: 1 })
  })

  it('moves nothing into an account that has no room', async () => {
    const maker = await makeAccount(server, { plan: 'free' })
    const full = await makeSpace(server, { owner: maker, plan: 'free' })
    await rpc(full.owner, 'create_links', {
      _links: Array.from({ length: 49 }, (_, i) => ({ original_url: `https://example.com/${i}` })),
    })
    const token = await rpc(full.owner, 'create_invitation', { _role: 'editor' })
    const person = await makeAccount(server, { plan: 'business' })
    await rpc(person, 'accept_invitation', { _token: new URL(String(token.body)).hash.slice(1) })
    const links = [await makeLinkOf(person), await makeLinkOf(person)].map(({ id }) => id)
    const sentence = 'That account has room for 1 more links, and these are 2.'
    expect((await preview(person, links, full.id)).body).toMatchObject({
      refusals: [{ hint: 'target_full', message: sentence }],
    })
    const refused = await move(person, links, full.id)
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { hint: 'target_full', message: sentence },
    ])
    expect((await idsOf(person)).toSorted()).toEqual(links.toSorted())
    const before = await usageOf(full.id)
    expect((await move(person, links.slice(0, 1), full.id)).status).toBe(200)
    expect(await usageOf(full.id)).toEqual({ ...before, links: 50 })
  })

  it('charges totals as a deletion gives them back, and no day', async () => {
    const person = await makeAccount(server, { plan: 'business' })
    const space = await makeSpace(server, { owner: person })
    const fresh = await makeLinkOf(person, { short_code: `fresh-${randomUUID().slice(0, 8)}` })
    const visited = await makeLinkOf(person)
    await server.sql('update app.shortened_urls set click_count = 1 where id = $1', [visited.id])
    expect(await usageOf(person.id)).toEqual({ links: 2, codes: 1, today: 2 })
    expect((await move(person, [fresh.id, visited.id], space.id)).status).toBe(200)
    expect(await usageOf(space.id)).toEqual({ links: 2, codes: 1, today: 0 })
    expect(await usageOf(person.id)).toEqual({ links: 1, codes: 0, today: 2 })
    // The place of the visited one comes back a month later.
    await server.sql(
      `update app.link_moves set created_at = now() - interval '31 days' where from_account = $1`,
      [person.id],
    )
    for (let n = 0; n < 2; n++) await server.context.analytics.moves.run()
    expect(await usageOf(person.id)).toEqual({ links: 0, codes: 0, today: 2 })
    // A recount of today finds none of them in the new account.
    await rpc(space.owner, 'increment_url_usage', { _user_id: space.id })
    expect(await usageOf(space.id)).toEqual({ links: 2, codes: 1, today: 0 })
  })

  it('between accounts that share a lifetime counter changes nothing of it', async () => {
    const maker = await makeAccount(server, { plan: 'free' })
    const space = await makeSpace(server, { owner: maker, plan: 'free' })
    const made = await rpc(maker, 'create_links', {
      _links: Array.from({ length: 50 }, (_, i) => ({ original_url: `https://example.com/${i}` })),
    })
    const ids = (made.body as { link: Link }[]).map(({ link }) => link.id)
    await server.sql('update app.shortened_urls set click_count = 1 where user_id = $1', [maker.id])
    const shared = () => read(maker, 'user_usage?select=total_shortened_urls')
    expect(await shared()).toEqual([{ total_shortened_urls: 50 }])
    expect((await move(maker, ids, space.id)).status).toBe(200)
    expect(await shared()).toEqual([{ total_shortened_urls: 50 }])
    expect((await move(space.owner, ids, maker.id)).status).toBe(200)
    expect(await shared()).toEqual([{ total_shortened_urls: 50 }])
  })

  it('is refused with more tags than the other account has room for', async () => {
    const person = await makeAccount(server, { plan: 'business' })
    const space = await makeSpace(server, { owner: person })
    await server.sql(
      `insert into app.tags (user_id, name, color) select $1, 'tag ' || n, '#2563eb' from generate_series(1, 199) n`,
      [space.id],
    )
    const link = await makeLinkOf(person, { tags: ['new 1', 'new 2'] })
    expect((await move(person, [link.id], space.id)).body).toMatchObject({
      hint: 'too_many_tags',
      message: 'That account has room for 1 more tags, and these links bring 2.',
    })
    await server.sql(`delete from app.tags where user_id = $1 and name = 'tag 1'`, [space.id])
    expect((await move(person, [link.id], space.id)).status).toBe(200)
  })

  it('is refused for links on a domain, which belongs to its account', async () => {
    const person = await makeAccount(server, { plan: 'business' })
    const space = await makeSpace(server, { owner: person })
    const [domain] = await server.sql<{ id: number }>(
      `insert into app.domains (user_id, host) values ($1, 'links.example') returning id`,
      [person.id],
    )
    const [planted] = await plantLinks(
      server.sql,
      [{ code: `${domain?.id}/on-domain`, url: 'https://example.com/' }],
      person.id,
    )
    const other = await makeLinkOf(person)
    expect((await move(person, [planted?.id, other.id], space.id)).body).toMatchObject({
      hint: 'on_domain',
    })
    expect((await move(person, [other.id], space.id)).status).toBe(200)
  })

  it('is one of two that come at once, and not of a link that is deleted meanwhile', async () => {
    const link = await makeLinkOf(from.owner)
    const third = await makeSpace(server, { owner })
    const answers = await Promise.all(
      [to.id, third.id].map((target) => move(from.owner, [link.id], target)),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
    const gone = await makeLinkOf(from.owner)
    const [deleted, moved] = await Promise.all([
      send(server, from.owner, 'DELETE', `shortened_urls?id=eq.${gone.id}`, undefined, {
        prefer: 'return=representation',
      }),
      move(from.owner, [gone.id], to.id),
    ])
    const wasDeleted = (deleted.body as unknown[]).length === 1
    expect(moved.status).toBe(wasDeleted ? 404 : 200)
    const [row] = await server.sql('select user_id from app.shortened_urls where id = $1', [
      gone.id,
    ])
    expect(row).toEqual(wasDeleted ? undefined : { user_id: to.id })
  })

  it('is refused while hits of the account, or of a link, are on their way', async () => {
    const person = await makeAccount(server, { plan: 'business' })
    const [first, second] = [
      await makeSpace(server, { owner: person }),
      await makeSpace(server, { owner: person }),
    ]
    const link = await makeLinkOf(person)
    const other = await makeLinkOf(person)
    await server.sql(`select app.click_scopes_of(array[$1::uuid])`, [link.id])
    const pause = await server.context.database.transactionAs({ role: 'hoplet_worker' }, (db) =>
      db.query(`select app.take_lease('link-moves', gen_random_uuid(), 60)`),
    )
    expect(pause.rowCount).toBe(1)
    try {
      expect((await move(person, [link.id], first.id)).body).toMatchObject({ state: 'arriving' })
      expect((await move(person, [other.id], first.id)).body).toMatchObject({
        hint: 'move_at_work',
      })
      expect((await move(first.owner, [link.id], second.id)).body).toMatchObject({
        hint: 'move_at_work',
      })
    } finally {
      await server.sql(`delete from app.leases where name = 'link-moves'`)
    }
    await server.context.analytics.moves.run()
    expect((await move(first.owner, [link.id], second.id)).status).toBe(200)
    expect((await move(person, [other.id], first.id)).status).toBe(200)
  })

  it('queues no event of a webhook for each link', async () => {
    const person = await makeAccount(server, { plan: 'business' })
    const space = await makeSpace(server, { owner: person })
    const link = await makeLinkOf(person)
    const waiting = () =>
      server.sql(
        `select e.type from app.webhook_events e join app.webhooks w on w.id = e.webhook_id where w.user_id = any ($1)`,
        [[person.id, space.id]],
      )
    await server.sql(
      `insert into app.webhooks (user_id, url, events, secret)
        select u, 'https://example.com/hook', '{link.created,link.updated,link.deleted}', 'x' from unnest($1::uuid[]) u`,
      [[person.id, space.id]],
    )
    expect((await move(person, [link.id], space.id)).status).toBe(200)
    expect(await waiting()).toEqual([])
    // The control.
    await send(server, space.owner, 'PATCH', `shortened_urls?id=eq.${link.id}`, { title: 'Here' })
    expect(await waiting()).toEqual([{ type: 'link.updated' }])
  })
})

describe('an agent', () => {
  it('moves links after a confirmation that names the losses', async () => {
    const person = await makeUser(server, { plan: 'business' })
    const space = await makeSpace(server, { owner: { ...person, claims: {} } })
    const popup = { title: 'Stay', description: 'Here', cta_url: 'https://example.com/' }
    const [{ id: popupId }] = (
      await send(server, person, 'POST', 'popups', popup, { prefer: 'return=representation' })
    ).body as [{ id: string }]
    const link = await makeLinkOf(
      { ...person, claims: {} },
      { show_popup: true, popup_id: popupId },
    )
    const { client } = await connectAgent(server, person)
    const act = async (given: object) =>
      (await client.callTool({
        name: 'move_links',
        arguments: { short_codes: [link.short_code], to_account: space.id, ...given },
      })) as { isError?: boolean; structuredContent?: Record<string, unknown> }
    const first = await act({})
    expect(first.structuredContent).toMatchObject({
      status: 'needs_confirmation',
      will_do: expect.stringContaining(`1 popup switched off (${link.short_code})`),
    })
    expect(await read(person, 'shortened_urls?select=id')).toEqual([{ id: link.id }])
    const confirmation = first.structuredContent?.['confirmation']
    expect(await act({ confirmation, to_account: person.id })).toMatchObject({ isError: true })
    expect((await act({ confirmation })).structuredContent).toMatchObject({
      status: 'done',
      move: { links: 1 },
    })
    expect(await idsOf(space.owner)).toEqual([link.id])
    await client.close()
  })
})
