import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeAccount, send } from '#test/tables/accounts.ts'
import { openClients } from '#test/tables/held-open.ts'
import { visit } from '#test/visits/visit.ts'
import { give, makeAudience } from './give.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const rowsOf = (popup: string) =>
  server.sql('select * from app.leads where popup_id = $1 order by created_at, id', [popup])

describe('an address given in a popup', () => {
  it('is kept once per popup, with the consent text, the link and the source', async () => {
    const audience = await makeAudience(server)
    const { owner, popup, code } = audience
    const first = await give(server, audience, ' Ann@Example.com ')
    expect([first.status, await first.text()]).toEqual([
      200,
      expect.stringMatching(/^Thank you\. Your email address was saved\./),
    ])
    expect((await give(server, audience, 'ann@example.COM')).status).toBe(200)
    const other = await makeAudience(server, {}, owner)
    await give(server, other, 'ann@example.com')
    expect(await rowsOf(popup)).toMatchObject([
      {
        user_id: owner.id,
        popup_version: 1,
        email: 'Ann@Example.com',
        consent_text: 'Yes, write to me',
        code,
        source: 'letter.example',
        state: 'confirmed',
      },
    ])
    const listed = await send(server, owner, 'GET', 'leads?select=email&order=created_at.desc')
    expect(listed.body).toEqual([{ email: 'ann@example.com' }, { email: 'Ann@Example.com' }])
    const stranger = await makeAccount(server)
    expect((await send(server, stranger, 'GET', 'leads')).body).toEqual([])
    expect((await send(server, undefined, 'GET', 'leads')).status).toBe(401)
  })

  it('has the consent text of the version that the visitor saw', async () => {
    const audience = await makeAudience(server, { consent_text: 'First' })
    const change = (text: string) =>
      server.sql('update app.popups set consent_text = $2 where id = $1', [audience.popup, text])
    await server.sql(`update app.popups set title = 'Other' where id = $1`, [audience.popup])
    await change('Second')
    await change('Third')
    for (const version of ['1', '2', '3', '4'])
      await give(server, audience, `v${version}@example.com`, { version })
    const kept = await rowsOf(audience.popup)
    expect(kept.map(({ consent_text }) => consent_text)).toEqual([
      'First',
      'First',
      'Second',
      'Third',
    ])
    for (const version of ['0', '5', 'x', ''])
      expect((await give(server, audience, 'v@example.com', { version })).status).toBe(409)
  })

  it('is refused when it is none, comes from elsewhere, or the popup keeps none', async () => {
    const audience = await makeAudience(server, { cta_url: 'https://crm.example/' })
    for (const email of ['', 'ann', 'ann@', '@example.com', 'a b@example.com', 'ann@x\n.com'])
      expect((await give(server, audience, email)).status).toBe(422)
    const elsewhere = { headers: { 'sec-fetch-site': 'cross-site' } }
    expect((await give(server, audience, 'a@example.com', elsewhere)).status).toBe(403)
    expect((await give(server, { ...audience, popup: 'x' }, 'a@example.com')).status).toBe(404)
    await server.sql('update app.popups set keep_emails = false where id = $1', [audience.popup])
    expect((await give(server, audience, 'a@example.com')).status).toBe(404)
    expect(await rowsOf(audience.popup)).toEqual([])
  })

  it('names no link of another account', async () => {
    const audience = await makeAudience(server)
    const { code } = await makeAudience(server)
    await give(server, { ...audience, code }, 'a@example.com')
    expect(await rowsOf(audience.popup)).toMatchObject([{ code: null }])
  })

  it('is left out of a full audience, and the owner sees it', async () => {
    const audience = await makeAudience(server)
    await give(server, audience, 'a@example.com')
    await server.sql('update app.audiences set leads = 100000 where user_id = $1', [
      audience.owner.id,
    ])
    expect((await give(server, audience, 'b@example.com')).status).toBe(200)
    expect(await rowsOf(audience.popup)).toHaveLength(1)
    const { body } = await send(server, audience.owner, 'POST', 'rpc/audience', {})
    expect(body).toMatchObject({ leads: 100_000, max_leads: 100_000, left_out: 1 })
  })
})

describe('the form of a popup', () => {
  it('posts to Hoplet without a button URL, and to the button URL with one', async () => {
    const own = await makeAudience(server, { consent_text: 'A <b>letter</b>' })
    const page = await visit(server.url, `/${own.code}`)
    const form = /<form [^>]*>/.exec(page.body)?.[0] ?? ''
    expect(form).toContain(`action="/audience/join/${own.popup}"`)
    expect(form).not.toContain('target=')
    expect(page.body).toContain('A &lt;b&gt;letter&lt;/b&gt;')
    expect(page.header('content-security-policy')).toContain(`form-action 'self' ${server.url};`)
    const both = await makeAudience(server, { cta_url: 'https://crm.example/in' })
    const { body } = await visit(server.url, `/${both.code}`)
    const sent = /<form [^>]*>/.exec(body)?.[0] ?? ''
    expect(sent).toContain('action="https://crm.example/in"')
    expect(sent).toContain(`data-keep="/audience/join/${both.popup}"`)
    expect(body).not.toContain('type="hidden"')
  })

  it('is answered with a page that leads on when no script runs', async () => {
    const audience = await makeAudience(server)
    const answer = await give(server, audience, 'a@example.com', {
      headers: { accept: 'text/html' },
    })
    const body = await answer.text()
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'none'")
    expect(body).toContain('Your email address was saved.')
    expect(body).toContain(`href="/${audience.code}"`)
    expect(body).not.toContain('a@example.com')
  })
})

describe('the owner', () => {
  it('keeps the tags of two calls at once', async () => {
    const audience = await makeAudience(server)
    const { owner, popup } = audience
    await give(server, audience, 'two@example.com')
    const [lead] = await rowsOf(popup)
    const clients = await openClients(server, 2)
    const tag = (name: string) => ({
      userId: owner.id,
      text: 'select api.tag_leads($1, $2)',
      values: [JSON.stringify([lead?.['id']]), JSON.stringify([name])],
    })
    const endings = await clients.race([tag('one'), tag('two')])
    await clients.close()
    expect(endings.map(({ code }) => code)).toEqual(['ok', 'ok'])
    expect(await rowsOf(popup)).toMatchObject([{ tags: ['one', 'two'] }])
  })

  it('writes tags as a list of texts', async () => {
    const audience = await makeAudience(server)
    await give(server, audience, 'list@example.com')
    const { owner } = audience
    const message = 'A lead has at most 20 tags, which are texts with 1,000 bytes together'
    const many = Array.from({ length: 21 }, (_, n) => `tag ${n}`)
    for (const tags of [[null], ['a', null], [['a', 'b']], [['a'], [null]], many])
      expect(
        await send(server, owner, 'PATCH', `leads?user_id=eq.${owner.id}`, { tags }),
      ).toMatchObject({ status: 400, body: { code: '23514', message } })
    // The controls.
    for (const tags of [[], ['a', 'b'], ['null', '{a}']]) {
      const path = `leads?user_id=eq.${owner.id}`
      expect((await send(server, owner, 'PATCH', path, { tags })).status).toBe(204)
      expect(await rowsOf(audience.popup)).toMatchObject([{ tags }])
    }
  })

  it('cannot grow an audience beyond its room by tags', async () => {
    const audience = await makeAudience(server)
    const { owner } = audience
    await give(server, audience, 'room@example.com')
    const retag = (tags: string[]) =>
      send(server, owner, 'PATCH', `leads?user_id=eq.${owner.id}`, { tags })
    expect((await retag(['longer'])).status).toBe(204)
    await server.sql('update app.audiences set bytes = app.max_lead_bytes() where user_id = $1', [
      owner.id,
    ])
    const message =
      'Your audience has 64 MB, which is the most that an account can have. Please delete some leads first.'
    const full = { code: 'P0001', hint: 'too_many_rows', message }
    expect(await retag(['longer', 'more'])).toMatchObject({ status: 400, body: full })
    const [lead] = await rowsOf(audience.popup)
    const tag = { _ids: [lead?.['id']], _add: ['more'] }
    expect(await send(server, owner, 'POST', 'rpc/tag_leads', tag)).toMatchObject({ body: full })
    expect(await rowsOf(audience.popup)).toMatchObject([{ tags: ['longer'] }])
    // The controls: as many bytes, and fewer, and a person who leaves.
    expect((await retag(['equals'])).status).toBe(204)
    const leave = `${server.url}/audience/leave/${String(lead?.['unsubscribe_token'])}`
    expect((await fetch(leave, { method: 'POST' })).status).toBe(200)
    expect((await retag([])).status).toBe(204)
    expect((await retag(['short'])).status).toBe(204)
  })

  it('tags leads, and erases an address from rows, webhook events and kept answers', async () => {
    const audience = await makeAudience(server)
    const { owner } = audience
    await server.sql(
      `insert into app.webhooks (user_id, url, events, secret) values ($1, 'https://example.com/', '{lead.created}', 'x')`,
      [owner.id],
    )
    await give(server, audience, 'Gone@Example.com')
    await give(server, audience, 'stays@example.com')
    const [gone] = await rowsOf(audience.popup)
    const tag = { _ids: [gone?.['id']], _add: ['vip', 'fall'], _remove: ['spring'] }
    expect((await send(server, owner, 'POST', 'rpc/tag_leads', tag)).body).toBe(1)
    const stranger = await makeAccount(server)
    expect((await send(server, stranger, 'POST', 'rpc/tag_leads', tag)).body).toBe(0)
    const repeatable = { 'idempotency-key': 'p', prefer: 'return=representation' }
    const shown = `popups?id=eq.${audience.popup}&select=id,leads(email)`
    const embedded = await send(server, owner, 'PATCH', shown, { title: 'Other' }, repeatable)
    expect(JSON.stringify(embedded.body)).toContain('Gone@Example.com')
    const where = async (address: string) => {
      const [found] = await server.sql<Record<string, number>>(
        `select (select count(*)::int from app.leads l where l.email ilike $1) as leads,
          (select count(*)::int from app.webhook_events e where e.body ilike $1) as events,
          (select count(*)::int from app.idempotent_requests r where r.result ilike $1) as answers`,
        [`%${address}%`],
      )
      return found
    }
    // The control: each place has it before.
    expect(await where('gone@example.com')).toEqual({ leads: 1, events: 1, answers: 1 })
    const erase = { _email: 'gone@example.com' }
    expect((await send(server, stranger, 'POST', 'rpc/erase_lead', erase)).body).toBe(0)
    expect((await send(server, owner, 'POST', 'rpc/erase_lead', erase)).body).toBe(1)
    expect(await where('gone@example.com')).toEqual({ leads: 0, events: 0, answers: 0 })
    const remove = { 'idempotency-key': 'd', prefer: 'return=representation' }
    const rest = 'leads?email=eq.stays@example.com'
    expect((await send(server, owner, 'DELETE', rest, undefined, remove)).body).toMatchObject([
      { email: 'stays@example.com' },
    ])
    expect(await where('stays@example.com')).toEqual({ leads: 0, events: 0, answers: 0 })
    const { body } = await send(server, owner, 'POST', 'rpc/audience', {})
    expect(body).toMatchObject({ leads: 0, bytes: 0 })

    // Retention deletes without a signed-in person.
    await give(server, audience, 'old@example.com')
    const later = { ...repeatable, 'idempotency-key': 'r' }
    await send(server, owner, 'PATCH', shown, { title: 'Third' }, later)
    expect(await where('old@example.com')).toEqual({ leads: 1, events: 1, answers: 1 })
    await server.sql(
      `update app.leads set state = 'pending', created_at = now() - interval '8 days' where email = 'old@example.com'`,
    )
    await server.context.retention.run()
    expect(await where('old@example.com')).toEqual({ leads: 0, events: 0, answers: 0 })
  })
})

it('many addresses are limited: ten a minute from one visitor, 3,000 in ten minutes in one popup', async () => {
  const limited = await startTestServer({ rateLimits: true, trustedProxies: 1 })
  try {
    const audience = await makeAudience(limited)
    const from = (i: number) => ({ headers: { 'x-forwarded-for': `203.0.113.${i}` } })
    const statuses: number[] = []
    for (let i = 0; i < 12; i++)
      statuses.push((await give(limited, audience, `f${i}@example.com`, from(1))).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.slice(10)).toEqual([429, 429])
    // Mistakes cost nothing.
    for (let i = 0; i < 12; i++)
      expect((await give(limited, audience, 'none', from(2))).status).toBe(422)
    expect((await give(limited, audience, 'ok@example.com', from(2))).status).toBe(200)
  } finally {
    await limited.close()
  }
})
