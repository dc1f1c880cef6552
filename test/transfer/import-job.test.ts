import { beforeAll, describe, expect, test } from 'vitest'
import { makeUser } from '../factories.ts'
import { sharedServer, type TestServer } from '../server.ts'
import { importsOf } from './import-client.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})

const bitly = `long_url,custom_bitlink,title,archived,tags,created_at
https://harbor.example/spring,bit.ly/HB-spring,Spring,false,"a,b",2021-03-04T05:06:07Z
https://harbor.example/list,bit.ly/3xK9aQf,,true,,2020-01-02T03:04:05Z
ftp://files.example/sale,bit.ly/old-sale,Old sale,false,,2019-01-01T00:00:00Z
`

const linksOf = (userId: string) =>
  server.sql<{
    short_code: string
    original_url: string
    created_at: Date
    former_url: string | null
    title: string | null
    is_disabled: boolean
  }>(
    `select short_code, original_url, created_at, former_url, title, is_disabled from app.shortened_urls
      where user_id = $1 order by original_url`,
    [userId],
  )

describe('an import of a file', () => {
  test('shows the outcome of each row, and writes nothing before it is confirmed', async () => {
    const user = await makeUser(server, { plan: 'business' })
    const imports = importsOf(server, user)
    const shown = await imports.check(bitly, 'bitly-links.csv')
    expect(shown).toMatchObject({
      source: 'bitly',
      state: 'ready',
      rows: 3,
      totals: { made: 2, refused: 1 },
    })
    expect(await linksOf(user.id)).toEqual([])
    const rows = await imports.rows(shown.id)
    expect(rows.map(({ label, outcome }) => [label, outcome])).toEqual([
      ['bit.ly/HB-spring', 'made'],
      ['bit.ly/3xK9aQf', 'made'],
      ['bit.ly/old-sale', 'refused'],
    ])
    expect(rows[1]?.notes).toEqual(['lower case'])
    expect(rows[2]?.notes[0]).toMatch(/http/)
  })

  test('makes links with their codes, dates, and former addresses', async () => {
    const user = await makeUser(server, { plan: 'business' })
    const imports = importsOf(server, user)
    const shown = await imports.check(bitly)
    const done = await imports.run(shown.id)
    expect(done).toMatchObject({ state: 'done', results: { made: 2, skipped: 1 } })
    expect(await linksOf(user.id)).toMatchObject([
      {
        short_code: '3xk9aqf',
        original_url: 'https://harbor.example/list',
        created_at: new Date('2020-01-02T03:04:05Z'),
        former_url: 'bit.ly/3xK9aQf',
      },
      { short_code: 'hb-spring', title: 'Spring', former_url: 'bit.ly/HB-spring' },
    ])
    const found = await fetch(
      `${server.url}/rest/v1/rpc/search_links?_query=${encodeURIComponent('bit.ly/3xk9')}`,
      { headers: user.headers },
    )
    expect(await found.json()).toMatchObject([{ short_code: '3xk9aqf' }])
  })

  test('finds the links of the same file already here', async () => {
    const user = await makeUser(server, { plan: 'business' })
    const imports = importsOf(server, user)
    const file = bitly.replaceAll('bit.ly/', `bit.ly/${user.id.slice(0, 8)}-`)
    await imports.run((await imports.check(file)).id)
    const again = await imports.check(file)
    expect(again.totals).toMatchObject({ here: 2, refused: 1 })
  })

  test('tells codes apart that are taken, or differ by case only', async () => {
    const owner = await makeUser(server, { plan: 'business' })
    const user = await makeUser(server, { plan: 'business' })
    const tail = user.id.slice(0, 8)
    const made = await importsOf(server, owner).checkRows([
      { original_url: 'https://theirs.example', short_code: `menu-${tail}` },
    ])
    await importsOf(server, owner).run(made.id)
    const imports = importsOf(server, user)
    const own = await imports.checkRows([
      { original_url: 'https://mine.example/old', short_code: `own-${tail}` },
    ])
    await imports.run(own.id)
    const shown = await imports.checkRows([
      { original_url: 'https://a.example', short_code: `menu-${tail}` },
      { original_url: 'https://b.example', short_code: `own-${tail}` },
      { original_url: 'https://c.example', short_code: `Case-${tail}` },
      { original_url: 'https://d.example', short_code: `case-${tail}` },
      { original_url: 'https://e.example', short_code: 'no/slashes' },
    ])
    expect(shown.totals).toMatchObject({ taken: 3, made: 1, case: 1, taken_own: 1 })
    await imports.run(shown.id, { taken: 'skip', rows: [{ place: 2, choice: 'replace' }] })
    const links = await linksOf(user.id)
    expect(links.map(({ short_code: code, original_url: url }) => [code, url])).toEqual([
      [`own-${tail}`, 'https://b.example'],
      [`case-${tail}`, 'https://c.example'],
    ])
    const undone = await imports.act(shown.id, 'undo').then(() => imports.until(shown.id, 'undone'))
    expect(undone.results).toMatchObject({ undone: 2 })
    expect(await linksOf(user.id)).toMatchObject([{ original_url: 'https://mine.example/old' }])
  })

  test('with unknown columns asks for a map of them', async () => {
    const user = await makeUser(server, { plan: 'business' })
    const imports = importsOf(server, user)
    const shown = await imports.check('Ziel;Kürzel;Name\nhttps://a.example;;Erster\n', 'liste.csv')
    expect(shown).toMatchObject({ source: '', state: 'ready', headers: ['Ziel', 'Kürzel', 'Name'] })
    expect((await imports.rows(shown.id))[0]?.cells).toEqual(['https://a.example', '', 'Erster'])
    const mapped = await imports.ask(
      `/${shown.id}/read`,
      imports.json({ mapping: { url: 0, title: 2 } }),
    )
    expect(mapped.status).toBe(200)
    expect(await imports.until(shown.id, 'ready')).toMatchObject({ totals: { made: 1 } })
    await imports.run(shown.id)
    expect(await linksOf(user.id)).toMatchObject([{ title: 'Erster' }])
  })
})

describe('the quota of the plan', () => {
  test('of a free account is used up first, and the rest waits for a plan', async () => {
    const user = await makeUser(server)
    const imports = importsOf(server, user)
    const rows = Array.from({ length: 60 }, (_, i) => ({ original_url: `https://a.example/${i}` }))
    const shown = await imports.checkRows(rows)
    expect(shown.allowance).toMatchObject({ limit_type: 'lifetime', links_left: 50 })
    const waiting = await imports.run(shown.id)
    expect(waiting).toMatchObject({ state: 'waiting', results: { made: 50 } })
    await server.sql(`update app.user_plans set plan_type = 'pro' where user_id = $1`, [user.id])
    expect(await imports.until(shown.id, 'done')).toMatchObject({ results: { made: 60 } })
  })

  test('leaves a tenth of a day to the person, and goes on the next day', async () => {
    const user = await makeUser(server, { plan: 'pro' })
    const imports = importsOf(server, user)
    const rows = Array.from({ length: 50 }, (_, i) => ({ original_url: `https://b.example/${i}` }))
    const shown = await imports.checkRows(rows)
    const waiting = await imports.run(shown.id)
    expect(waiting).toMatchObject({ state: 'waiting', results: { made: 45 } })
    expect(Date.parse(waiting.next_at)).toBe(new Date().setUTCHours(24, 0, 0, 0))
    const own = await fetch(`${server.url}/rest/v1/shortened_urls`, {
      method: 'POST',
      headers: { ...user.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ original_url: 'https://own.example', user_id: user.id }),
    })
    expect(own.status).toBe(201)
  })

  test('is not used by links that an admin has allowed', async () => {
    const [user, admin] = [await makeUser(server), await makeUser(server, { role: 'admin' })]
    const grant = (headers: Record<string, string>) =>
      fetch(`${server.url}/rest/v1/rpc/grant_import`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ _user: user.id, _links: 70 }),
      })
    expect((await grant(user.headers)).status).toBe(403)
    expect((await grant(admin.headers)).status).toBe(204)
    const imports = importsOf(server, user)
    const rows = Array.from({ length: 65 }, (_, i) => ({ original_url: `https://c.example/${i}` }))
    expect(await imports.run((await imports.checkRows(rows)).id)).toMatchObject({ state: 'done' })
    const usage = () =>
      server.sql(
        'select total_shortened_urls, import_allowance from app.user_usage where user_id = $1',
        [user.id],
      )
    expect(await usage()).toEqual([{ total_shortened_urls: 0, import_allowance: 5 }])
    await fetch(`${server.url}/rest/v1/shortened_urls?user_id=eq.${user.id}`, {
      method: 'DELETE',
      headers: user.headers,
    })
    expect(await usage()).toEqual([{ total_shortened_urls: 0, import_allowance: 5 }])
    const log = await server.sql(
      `select before, after from app.audit_log where action = 'import.grant' and target_id = $1`,
      [user.id],
    )
    expect(log).toEqual([{ before: { import_allowance: 0 }, after: { import_allowance: 70 } }])
  })
})

describe('an undo', () => {
  test('keeps links that were clicked since, and names them', async () => {
    const user = await makeUser(server, { plan: 'business' })
    const imports = importsOf(server, user)
    const shown = await imports.checkRows([
      { original_url: 'https://a.example/1', created_at: '2020-01-01T00:00:00Z' },
      { original_url: 'https://a.example/2' },
    ])
    await imports.run(shown.id)
    await server.sql(
      `update app.shortened_urls set click_count = 1 where user_id = $1 and original_url like '%/2'`,
      [user.id],
    )
    await imports.act(shown.id, 'undo')
    expect(await imports.until(shown.id, 'undone')).toMatchObject({
      results: { undone: 1, kept: 1 },
    })
    expect(await imports.rows(shown.id, 'outcome=kept')).toMatchObject([
      { place: 2, result: 'kept' },
    ])
    expect(await linksOf(user.id)).toMatchObject([{ original_url: 'https://a.example/2' }])
    // The link with an old date gave its place of today back.
    const usage = await server.sql(
      'select daily_shortened_urls from app.user_usage where user_id = $1',
      [user.id],
    )
    expect(usage).toEqual([{ daily_shortened_urls: 1 }])
  })
})
