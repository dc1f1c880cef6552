import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { scriptInjections } from '#test/fixtures/script-injections.ts'
import { plantBio, plantPopupLink } from '#test/pages/plant.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { countOf } from '#test/visits/plant.ts'
import { hitsOf } from '#test/visits/hits.ts'
import { visit } from '#test/visits/visit.ts'

let server: TestServer
beforeAll(async () => {
  // Not shared: constraints are dropped here.
  server = await startTestServer()
})
afterAll(() => server.close())
const ours = { 'sec-fetch-site': 'same-origin' }

function send(
  fields: Record<string, string>,
  { headers = ours as Record<string, string>, to = server } = {},
) {
  return fetch(`${to.url}/report`, {
    method: 'POST',
    redirect: 'manual',
    headers,
    body: new URLSearchParams({ reason: 'phishing', ...fields }),
  })
}

const stored = (name: string) =>
  server.sql(
    `select target_kind, target_id, owner_id, destination, reason, details, reporter_email, state, decided_at
      from app.abuse_reports where name = $1 order by created_at`,
    [name],
  )
const total = async () =>
  Number((await server.sql('select count(*) as n from app.abuse_reports'))[0]?.n)

describe('the link to the form', () => {
  it('is on each page that a user made, and names the page', async () => {
    const bio = await plantBio(server.sql)
    const popup = await plantPopupLink(server.sql)
    const lost = await makeLink(server, await makeUser(server), { short_code: 'went-bad' })
    await server.sql(
      'alter table app.shortened_urls drop constraint shortened_urls_destination, disable trigger check_destination',
    )
    await server.sql(`update app.shortened_urls set original_url = 'javascript:x' where id = $1`, [
      lost.id,
    ])
    for (const [name, status] of [
      [bio.slug, 200],
      [popup.code, 200],
      ['demo', 200],
      ['went-bad', 410],
    ] as const) {
      await expect
        .poll(async () => {
          const page = await visit(server.url, `/${name}`)
          return [page.status, /<a href="(\/report[^"]*)"/.exec(page.body)?.[1]]
        })
        .toEqual([status, `/report?name=${name}`])
    }
    // Control: a page without an owner has no link.
    expect((await visit(server.url, '/404')).body).not.toContain('/report')
  })
})

describe('the form', () => {
  it('the report form names the reported link, runs no script, and cannot be framed or indexed', async () => {
    const { status, body, header } = await visit(server.url, '/report?name=Some-Code')
    expect([status, header('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const { host } = new URL(server.context.config.publicUrl)
    expect(body.replaceAll('<!-- -->', '')).toContain(`${host}/some-code`)
    expect(body).not.toMatch(/<script|react| style=/i)
    const policy = header('content-security-policy') ?? ''
    for (const part of ["script-src 'none'", "form-action 'self'", "frame-ancestors 'none'"])
      expect(policy).toContain(part)
    expect(policy).not.toMatch(/unsafe/)
    expect([header('x-robots-tag'), header('cache-control')]).toEqual(['noindex', 'no-store'])
    expect(header('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(body).toContain('<meta name="robots" content="noindex"/>')
  })

  it('asks for the address when none that can be is given', async () => {
    for (const query of ['', '?name=', '?name=..%2F..', '?name=%22%3E%3Cscript%3E', '?x=1']) {
      const { status, body } = await visit(server.url, `/report${query}`)
      expect([query, status, body.includes('Address of the link or page')]).toEqual([
        query,
        200,
        true,
      ])
      expect(body).not.toContain('<script')
    }
  })

  it('answers other methods and paths as it should', async () => {
    expect((await visit(server.url, '/report', { method: 'HEAD' })).status).toBe(200)
    expect((await visit(server.url, '/report/')).status).toBe(308)
    const put = await visit(server.url, '/report', { method: 'PUT', headers: ours })
    expect([put.status, put.header('allow')]).toEqual([405, 'GET, HEAD, POST'])
    expect((await visit(server.url, '/report/else')).status).toBe(404)
    // No link can take that name.
    const user = await makeUser(server)
    await expect(makeLink(server, user, { short_code: 'report' })).rejects.toThrow()
  })
})

describe('a report', () => {
  it('is stored with the content behind the name, thanks the sender, and counts no visit', async () => {
    const owner = await makeUser(server)
    const link = await makeLink(server, owner, {
      short_code: 'bad-shop',
      original_url: 'https://shop.example/fake',
    })
    const answer = await send({
      name: `${server.url}/Bad-Shop?utm=1`,
      details: ' It asks for my\r\nbank card. ',
      email: ' me@example.com ',
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/report/sent'])
    const thanks = await visit(server.url, '/report/sent')
    expect([thanks.status, thanks.header('x-robots-tag')]).toEqual([200, 'noindex'])
    expect(thanks.body).toContain('Thank you for your report')
    expect(await stored('bad-shop')).toEqual([
      {
        target_kind: 'link',
        target_id: link.id,
        owner_id: owner.id,
        destination: 'https://shop.example/fake',
        reason: 'phishing',
        details: 'It asks for my\nbank card.',
        reporter_email: 'me@example.com',
        state: 'open',
        decided_at: null,
      },
    ])
    expect(await countOf(server.sql, link.id)).toBe(0)
    expect(await hitsOf(server.sql, link.id)).toEqual([])
  })

  it('of a bio page, and of nothing at all, gets the same answer', async () => {
    const bio = await plantBio(server.sql)
    const answers = []
    for (const name of [bio.slug, 'nobody-has-this', 'demo']) {
      const answer = await send({ name, reason: 'other' })
      answers.push([answer.status, answer.headers.get('location'), await answer.text()])
    }
    expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(await stored(bio.slug)).toMatchObject([
      { target_kind: 'bio', target_id: bio.id, owner_id: bio.owner, destination: null },
    ])
    for (const name of ['nobody-has-this', 'demo'])
      expect(await stored(name)).toMatchObject([
        { target_kind: 'unknown', target_id: null, owner_id: null, reporter_email: null },
      ])
  })

  it('an incomplete report comes back with its input', async () => {
    const before = await total()
    for (const [fields, message] of [
      [{ reason: '' }, 'Please choose what is wrong'],
      [{ reason: 'boring' }, 'Please choose what is wrong'],
      [{ name: 'https://elsewhere.example/x' }, 'Please enter the address of the link or page'],
      [{ name: '' }, 'Please enter the address of the link or page'],
      [{ email: 'not an address' }, 'Invalid email address'],
      [{ email: `${'a'.repeat(250)}@example.com` }, 'Invalid email address'],
      [{ details: `kept ${'x'.repeat(1_000)}` }, 'Please use at most 1,000 characters'],
    ] as const) {
      const typed = { name: 'some-code', details: 'kept words', email: 'kept@example.com' }
      const answer = await send({ ...typed, ...fields })
      const body = await answer.text()
      expect([fields, answer.status]).toEqual([fields, 422])
      expect(body).toContain(message)
      expect(body).toContain('kept')
      if (!('reason' in fields)) expect(body).toMatch(/checked=""[^>]*value="phishing"/)
      if (!('name' in fields)) expect(body).toContain('some-code')
    }
    expect(await total()).toBe(before)
    // The control, and the bounds: exactly 1,000 characters, however the browser breaks its lines.
    const longest = await send({ name: 'longest', details: `${'é'.repeat(998)}\r\n!` })
    expect(longest.status).toBe(303)
    expect(await total()).toBe(before + 1)
  })

  it('renders none of 60 payloads as markup', async () => {
    const shapeOf = (html: string) =>
      new Set(html.replaceAll(/="[^"]*"/g, '').match(/<[a-z]+[^<>]*>/gi) ?? [])
    const honest = await (await send({ name: '', details: 'words', email: 'x' })).text()
    const known = shapeOf(honest)
    // The control: one that got through would be noticed.
    expect([...shapeOf(`${honest}<img src="x" onerror="x">`)].every((tag) => known.has(tag))).toBe(
      false,
    )
    for (const payload of scriptInjections.slice(0, 60)) {
      const body = await (await send({ name: payload, details: payload, email: payload })).text()
      expect([...shapeOf(body)].filter((tag) => !known.has(tag))).toEqual([])
    }
  })

  it('is accepted from our own pages only', async () => {
    const before = await total()
    const { host } = new URL(server.url)
    const foreign: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `https://${host}.evil.example` },
      { 'sec-fetch-site': 'cross-site', origin: server.url },
    ]
    for (const headers of foreign)
      expect([headers, (await send({ name: 'x1' }, { headers })).status]).toEqual([headers, 403])
    expect(await total()).toBe(before)
    expect((await send({ name: 'x1' }, { headers: { origin: server.url } })).status).toBe(303)
  })

  it('has to be a form of a sensible size', async () => {
    const json = await fetch(`${server.url}/report`, {
      method: 'POST',
      headers: { ...ours, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(json.status).toBe(415)
    expect((await send({ name: 'x2', details: 'x'.repeat(20_000) })).status).toBe(413)
    expect((await send({ name: 'x2', details: 'nul \0 inside' })).status).toBe(303)
    expect(await stored('x2')).toMatchObject([{ details: 'nul  inside' }])
  })

  it('says so when it cannot be stored, and keeps it for another try', async () => {
    const { DatabaseUnavailableError } = await import('#server/postgres/database.ts')
    const { database } = server.context
    const { transactionAs } = database
    database.transactionAs = () => Promise.reject(new DatabaseUnavailableError('gone'))
    try {
      const answer = await fetch(`${server.url}/report`, {
        method: 'POST',
        headers: ours,
        body: new URLSearchParams({ name: 'x3', reason: 'spam', details: 'kept words' }),
      })
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await answer.text()).toContain('kept words')
    } finally {
      database.transactionAs = transactionAs
    }
  })
})

describe('many reports', () => {
  it('are limited: five a minute from one address, 200 an hour about one name', async () => {
    const limited = await startTestServer({ rateLimits: true, trustedProxies: 1 })
    try {
      const from = (i: number) => ({ ...ours, 'x-forwarded-for': `203.0.113.${i}` })
      const statuses: number[] = []
      for (let i = 0; i < 6; i++)
        statuses.push((await send({ name: `n-${i}` }, { to: limited, headers: from(1) })).status)
      expect(statuses).toEqual([303, 303, 303, 303, 303, 429])
      // Mistakes cost nothing.
      for (let i = 0; i < 10; i++)
        expect((await send({ name: '' }, { to: limited, headers: from(2) })).status).toBe(422)
      const about = await Promise.all(
        Array.from({ length: 210 }, (_, i) =>
          send({ name: 'one' }, { to: limited, headers: from(10 + (i % 200)) }),
        ),
      )
      expect(about.filter(({ status }) => status === 303)).toHaveLength(200)
      const refused = about.find(({ status }) => status === 429)
      expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await send({ name: 'two' }, { to: limited, headers: from(250) })).status).toBe(303)
      const [row] = await limited.sql(
        `select count(*)::int as n from app.abuse_reports where name = 'one'`,
      )
      expect(row?.n).toBe(200)
    } finally {
      await limited.close()
    }
  })
})

describe('the table of reports', () => {
  it('cannot be read through the table door, signed in or not', async () => {
    const admin = await makeUser(server, { role: 'admin' })
    for (const headers of [{ apikey: server.anonKey }, admin.headers]) {
      for (const path of ['abuse_reports', 'rpc/reported_target?reported=x'])
        expect((await fetch(`${server.url}/rest/v1/${path}`, { headers })).status).toBe(404)
    }
  })

  it('lets the background role only add open reports, read, and delete old ones; other roles can do nothing', async () => {
    const as = (role: 'hoplet_worker' | 'hoplet_visits' | 'hoplet_auth', text: string) =>
      server.context.database.transactionAs({ role }, (db) => db.query(text))
    const add = `insert into app.abuse_reports (name, target_kind, reason) values ('by-hand', 'unknown', 'spam')`
    await as('hoplet_worker', add)
    expect((await as('hoplet_worker', 'select name from app.abuse_reports')).rows).toContainEqual({
      name: 'by-hand',
    })
    for (const [role, text] of [
      ['hoplet_worker', `update app.abuse_reports set state = 'dismissed'`],
      ['hoplet_worker', add.replace('name,', 'state, name,').replace("('by", `('upheld', 'by`)],
      ['hoplet_visits', add],
      ['hoplet_visits', 'select name from app.abuse_reports'],
      ['hoplet_auth', `select * from app.reported_target('by-hand')`],
    ] as const) {
      await expect(as(role, text), `${role}: ${text}`).rejects.toThrow(/permission denied/)
    }
    await server.sql(
      `insert into app.abuse_reports (name, target_kind, reason, created_at)
       values ('a-year-old', 'unknown', 'spam', now() - interval '366 days')`,
    )
    const deleted = await as('hoplet_worker', 'delete from app.abuse_reports returning name')
    expect(deleted.rows).toEqual([{ name: 'a-year-old' }])
  })
})
