import { request as httpRequest } from 'node:http'
import { PostgrestClient } from '@supabase/postgrest-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '../accounts.ts'

/** Behavior that clients of PostgREST rely on beyond the specification's own calls, one behavior a test. */

let server: TestServer
let ann: Account
let service: { headers: Record<string, string> }

beforeAll(async () => {
  server = await startTestServer()
  ann = await makeAccount(server, { plan: 'business' })
  service = {
    headers: { apikey: server.serviceRoleKey, authorization: `Bearer ${server.serviceRoleKey}` },
  }
})
afterAll(() => server.close())

beforeEach(async () => {
  await server.sql('delete from app.popups where user_id = $1', [ann.id])
  for (const title of ['One', 'Two', 'Three']) await makePopup({ title })
})

const object = 'application/vnd.pgrst.object+json'
const get = (path: string, headers?: Record<string, string>) =>
  send(server, ann, 'GET', path, undefined, headers)
const makePopup = (row: Record<string, unknown>, headers?: Record<string, string>) =>
  send(server, ann, 'POST', 'popups', { user_id: ann.id, ...row }, headers)
const rangeOf = (answer: { headers: Headers }) => answer.headers.get('content-range')
const titles = async () =>
  (await server.sql<{ title: string }>('select title from app.popups order by title')).map(
    ({ title }) => title,
  )

function client() {
  return new PostgrestClient(`${server.url}/rest/v1`, { headers: ann.headers })
}

describe('aliases', () => {
  it.each(['t', 'r', 'b', 'c', 'key', 'body', 'rows', 'changed'])(
    'named %s do not meet a name of the compiled SQL',
    async (alias) => {
      const read = await get(`popups?select=${alias}:title,id&title=eq.One`)
      expect(read.body).toEqual([{ [alias]: 'One', id: expect.any(String) }])
      const single = await get(`popups?select=${alias}:title&title=eq.One`, { accept: object })
      expect(single.body).toEqual({ [alias]: 'One' })
      const made = await send(
        server,
        ann,
        'POST',
        `popups?select=${alias}:title,id`,
        { user_id: ann.id, title: 'Four' },
        { prefer: 'return=representation' },
      )
      expect(made.body).toEqual([{ [alias]: 'Four', id: expect.any(String) }])
    },
  )
})

describe('single() on a change without select()', () => {
  it('refuses an update of several rows and changes none', async () => {
    const { error, status } = await client()
      .from('popups')
      .update({ title: 'Changed' })
      .eq('user_id', ann.id)
      .single()
    expect({ status, error }).toMatchObject({ status: 406, error: { code: 'PGRST116' } })
    expect(await titles()).toEqual(['One', 'Three', 'Two'])
  })

  it('refuses a deletion of no row, and one of several', async () => {
    for (const filter of ['title=eq.None', 'title=like.T*']) {
      const gone = await send(server, ann, 'DELETE', `popups?${filter}`, undefined, {
        accept: object,
      })
      expect(gone).toMatchObject({ status: 406, body: { code: 'PGRST116' } })
    }
    expect(await titles()).toEqual(['One', 'Three', 'Two'])
  })

  it('refuses an insert of two rows and stores neither', async () => {
    const rows = [1, 2].map((n) => ({ user_id: ann.id, title: `New ${n}` }))
    const made = await send(server, ann, 'POST', 'popups', rows, { accept: object })
    expect(made).toMatchObject({ status: 406, body: { code: 'PGRST116' } })
    expect(await titles()).toEqual(['One', 'Three', 'Two'])
  })

  it('lets a change of exactly one row through', async () => {
    const { error, status } = await client()
      .from('popups')
      .update({ title: 'Changed' })
      .eq('title', 'One')
      .single()
    expect({ status, error }).toEqual({ status: 204, error: null })
    expect(await titles()).toEqual(['Changed', 'Three', 'Two'])
  })
})

describe('counts', () => {
  it('of inserts and upserts', async () => {
    const rows = [1, 2].map((n) => ({ user_id: ann.id, title: `New ${n}` }))
    const made = await client().from('popups').insert(rows, { count: 'exact' })
    expect(made).toMatchObject({ status: 201, count: 2 })
    const upserted = await client()
      .from('affiliate_codes')
      .upsert(
        { user_id: ann.id, code: 'COUNTED1' },
        { onConflict: 'user_id', ignoreDuplicates: true, count: 'exact' },
      )
    expect(upserted.count).toBe(1)
  })

  it('of updates and deletions', async () => {
    const updated = await client()
      .from('popups')
      .update({ title: 'T' }, { count: 'exact' })
      .like('title', 'T%')
    expect(updated).toMatchObject({ status: 204, count: 2 })
    const gone = await client().from('popups').delete({ count: 'exact' }).eq('title', 'T')
    expect(gone).toMatchObject({ status: 204, count: 2 })
  })

  it('of functions that answer with rows, one value or nothing', async () => {
    const { status } = await send(server, ann, 'POST', 'shortened_urls', {
      user_id: ann.id,
      original_url: 'https://example.com/counted',
    })
    expect(status).toBe(201)
    const found = await client().rpc('search_links', { _query: 'counted' }, { count: 'exact' })
    expect(found).toMatchObject({ count: 1, data: [expect.anything()] })
    const advice = { _user_id: ann.id, _is_custom: false }
    expect((await client().rpc('can_create_url', advice, { count: 'exact' })).count).toBe(1)
    const counted = await client().rpc('increment_url_usage', advice, { count: 'exact' })
    expect(counted).toMatchObject({ status: 204, count: 1 })
  })

  it('are exact for each request', async () => {
    for (const count of ['planned', 'estimated']) {
      const { headers } = await get('popups?select=id&limit=1', { prefer: `count=${count}` })
      expect(headers.get('content-range')).toBe('0-0/3')
      const others = await get('profiles?select=id', { prefer: `count=${count}` })
      expect(rangeOf(others)).toBe('0-0/1')
    }
    const planned = await send(server, service, 'GET', 'popups?select=id', undefined, {
      prefer: 'count=planned',
    })
    expect(Number(rangeOf(planned)?.split('/')[1])).toBeGreaterThan(0)
  })

  it('do not tell a person how many accounts exist', async () => {
    await makeAccount(server)
    await server.sql('analyze app.profiles')
    for (const relation of ['profiles', 'user_plans', 'user_roles', 'user_usage']) {
      const { headers } = await get(`${relation}?limit=0`, { prefer: 'count=planned' })
      expect([relation, headers.get('content-range')]).toEqual([relation, '*/1'])
    }
  })
})

describe('ranges', () => {
  it('that start at the total are an empty page, and beyond it 416', async () => {
    const page = await client().from('popups').select('id', { count: 'exact' }).range(3, 5)
    expect(page).toMatchObject({ status: 206, data: [], count: 3, error: null })
    const beyond = await client().from('popups').select('id', { count: 'exact' }).range(4, 5)
    expect(beyond).toMatchObject({ status: 416, error: { code: 'PGRST103' } })
    const none = await get('popups?title=eq.None', { prefer: 'count=exact' })
    expect([none.status, rangeOf(none)]).toEqual([200, '*/0'])
  })

  it('of no rows say that there are more', async () => {
    const page = await get('popups?limit=0', { prefer: 'count=exact' })
    expect([page.status, rangeOf(page)]).toEqual([206, '*/3'])
  })

  it('of header and query intersect', async () => {
    const read = async (query: string, range: string) => {
      const answer = await get(`popups?select=title&order=title&${query}`, { range })
      return answer.status < 400
        ? (answer.body as { title: string }[]).map(({ title }) => title).join()
        : answer.status
    }
    expect(await read('limit=2', '1-5')).toBe('Three')
    expect(await read('offset=1', '0-1')).toBe('Three')
    expect(await read('offset=1&limit=1', '2-9')).toBe(416)
    expect(await read('offset=2', '0-0')).toBe(416)
    expect(await read('limit=0', '0-1')).toBe('')
  })

  it('of changes say how many rows they changed', async () => {
    const patch = (filter: string, headers?: Record<string, string>) =>
      send(server, ann, 'PATCH', `popups?${filter}`, { position: 'top' }, headers)
    expect(rangeOf(await patch('title=like.T*'))).toBe('0-1/*')
    expect(rangeOf(await patch('title=like.T*', { prefer: 'count=exact' }))).toBe('0-1/2')
    expect(rangeOf(await patch('title=eq.None'))).toBe('*/*')
    const gone = await send(server, ann, 'DELETE', 'popups?title=eq.One')
    expect(rangeOf(gone)).toBe('*/*')
  })

  it('of functions', async () => {
    const call = (name: string) =>
      send(server, ann, 'POST', `rpc/${name}`, { _user_id: ann.id, _is_custom: false })
    expect(rangeOf(await call('can_create_url'))).toBe('0-0/*')
    expect(rangeOf(await call('increment_url_usage'))).toBe('0-0/*')
  })
})

describe('the grammar', () => {
  const reads: [string, string, string[]][] = [
    ['blanks in a tree', 'or=( title.eq.One, title.eq."Two" )', ['One', 'Two']],
    [
      'blanks in a nested tree',
      'or=(title.eq.One, and( title.eq.Two, id.not.is.null ))',
      ['One', 'Two'],
    ],
    [
      'parentheses in an unquoted value of a tree',
      'or=(title.eq.a(b,title.eq.One)',
      ['One', 'a(b'],
    ],
    ['parentheses in an unquoted value of a list', 'title=in.(a(b,One)', ['One', 'a(b']],
    ['a quoted value with more behind it', 'or=(title.eq."x"y,title.eq.One)', ['"x"y', 'One']],
    ['a quoted column as a filter key', '"title"=eq.One', ['One']],
    ['a quoted column in a tree', 'or=("title".eq.One,"title".eq.Two)', ['One', 'Two']],
    ['blanks around a list', 'title=in.( One )', []],
    ['an empty list', 'title=in.()', []],
  ]
  it.each(reads)('takes %s', async (_what, query, expected) => {
    await makePopup({ title: 'a(b' })
    await makePopup({ title: '"x"y' })
    const url = new URL(`${server.url}/rest/v1/popups?select=title&order=title`)
    for (const pair of query.split('&')) {
      const at = pair.indexOf('=')
      url.searchParams.append(pair.slice(0, at), pair.slice(at + 1))
    }
    const response = await fetch(url, { headers: ann.headers })
    const body = (await response.json()) as { title: string }[]
    expect(response.status, JSON.stringify(body)).toBe(200)
    expect(body.map(({ title }) => title).sort()).toEqual(expected.sort())
  })

  it('takes percent-encoded letters in the path', async () => {
    expect(await get('%70opups?select=title&title=eq.One')).toMatchObject({
      status: 200,
      body: [{ title: 'One' }],
    })
    expect((await get('p%GGpups')).status).toBe(404)
    expect((await get('rpc%2Fsearch_links?_query=a')).status).toBe(404)
  })

  it('still refuses unreadable requests', async () => {
    for (const query of [
      'or=(title.eq.One',
      'or=title.eq.One',
      'or=(,title.eq.One)',
      'title=in.One',
    ]) {
      expect(await get(`popups?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'PGRST100' },
      })
    }
  })
})

describe('an update', () => {
  it('may name the unchanged owner', async () => {
    const changed = await client()
      .from('popups')
      .update({ user_id: ann.id, title: 'Renamed' })
      .eq('title', 'One')
      .select('title')
    expect(changed).toMatchObject({ error: null, data: [{ title: 'Renamed' }] })
  })

  it('cannot give a row to another account', async () => {
    const other = await makeAccount(server)
    const given = await client().from('popups').update({ user_id: other.id }).eq('title', 'One')
    expect(given).toMatchObject({ status: 403, error: { code: '42501' } })
  })

  it('sets a column that `columns` names and the body lacks to null', async () => {
    await server.sql(`update app.popups set description = 'kept' where title = 'One'`)
    const path = 'popups?title=eq.One&columns=title,description,position'
    const patch = (prefer: string) =>
      send(
        server,
        ann,
        'PATCH',
        `${path}&select=description,position`,
        { title: 'One', position: 'bottom', image_url: 'ignored' },
        { prefer: `return=representation${prefer}` },
      )
    const kept = await patch(', missing=default')
    expect(kept.body).toEqual([{ description: 'kept', position: 'bottom' }])
    expect((await patch('')).body).toEqual([{ description: null, position: 'bottom' }])
  })
})

describe('a social link', () => {
  it('of the platform email may be a plain address, stored as the form stores it', async () => {
    const page = await client()
      .from('bio_pages')
      .insert({ user_id: ann.id, slug: 'ann-social', title: 'Ann' })
      .select('id')
      .single()
    const add = (platform: string, url: string) =>
      client()
        .from('bio_social_links')
        .insert({ bio_page_id: page.data?.id, platform, url })
        .select('id, url')
        .single()
    const made = await add('email', 'ann@example.com')
    expect(made).toMatchObject({ status: 201, data: { url: 'mailto:ann@example.com' } })
    expect((await add('github', 'ann@example.com')).error).toMatchObject({ code: '23514' })
    expect((await add('email', 'javascript:alert(1)')).error).toMatchObject({ code: '23514' })
    const changed = await client()
      .from('bio_social_links')
      .update({ url: 'bob@example.com', platform: 'email' })
      .eq('id', made.data?.id)
      .select('url')
    expect(changed.data).toEqual([{ url: 'mailto:bob@example.com' }])
  })
})

describe('an upsert', () => {
  it('answers 201 when it inserted a row and 200 when it only merged', async () => {
    const person = await makeAccount(server)
    const upsert = (role: string) =>
      send(
        server,
        service,
        'POST',
        'user_roles?on_conflict=user_id',
        { user_id: person.id, role },
        {
          prefer: 'resolution=merge-duplicates',
        },
      )
    expect((await upsert('user')).status).toBe(200)
    await server.sql('delete from app.user_roles where user_id = $1', [person.id])
    expect((await upsert('user')).status).toBe(201)
    expect((await upsert('user')).status).toBe(200)
  })
})

describe('max-affected', () => {
  const strict = { prefer: 'handling=strict, max-affected=1' }

  it('holds for functions that answer with rows', async () => {
    for (const n of [1, 2]) {
      await send(server, ann, 'POST', 'shortened_urls', {
        user_id: ann.id,
        original_url: `https://example.com/affected/${n}`,
      })
    }
    const call = (query: string) =>
      send(server, ann, 'POST', 'rpc/search_links', { _query: query }, strict)
    expect(await call('affected')).toMatchObject({ status: 400, body: { code: 'PGRST124' } })
    expect((await call('affected/1')).status).toBe(200)
  })

  it('is refused for functions that do not', async () => {
    const call = await send(server, ann, 'POST', 'rpc/can_create_url', { _user_id: ann.id }, strict)
    expect(call).toMatchObject({ status: 400, body: { code: 'PGRST128' } })
  })
})

describe('Prefer: tx=rollback', () => {
  it('is refused before anything is written', async () => {
    const made = await client()
      .from('popups')
      .insert({ user_id: ann.id, title: 'Never' })
      .select()
      .rollback()
    expect(made).toMatchObject({ status: 400, error: { code: 'PGRST122' } })
    expect(await titles()).toEqual(['One', 'Three', 'Two'])
  })
})

describe('Content-Type', () => {
  it('names the stripped nulls', async () => {
    const typeOf = async (accept: string) =>
      (await get('popups?title=eq.One', { accept })).headers.get('content-type')
    const stripped = 'application/vnd.pgrst.array+json;nulls=stripped'
    expect(await typeOf(stripped)).toBe(`${stripped}; charset=utf-8`)
    expect(await typeOf(`${object};nulls=stripped`)).toBe(`${object};nulls=stripped; charset=utf-8`)
    expect(await typeOf('application/json')).toBe('application/json; charset=utf-8')
  })

  it('the count is in the answer to HEAD', async () => {
    const head = await send(server, ann, 'HEAD', 'popups')
    expect(head.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })
})

describe('compression', () => {
  /** fetch would unpack the body and hide what came over the wire. */
  const encodingOf = (path: string, accepted: string) =>
    new Promise<{ encoding: string | undefined; vary: string | undefined; bytes: number }>(
      (resolve, reject) => {
        const headers = { ...ann.headers, 'accept-encoding': accepted }
        httpRequest(`${server.url}/rest/v1/${path}`, { headers }, (response) => {
          let bytes = 0
          response.on('data', (chunk: Buffer) => (bytes += chunk.length))
          response.on('end', () => {
            const { 'content-encoding': encoding, vary } = response.headers
            resolve({ encoding, vary, bytes })
          })
        })
          .on('error', reject)
          .end()
      },
    )

  it('follows Accept-Encoding for large answers', async () => {
    const description = 'words that repeat, '.repeat(20).trim()
    for (let n = 0; n < 10; n++) await makePopup({ title: `Long ${n}`, description })
    const plain = await encodingOf('popups', 'identity')
    expect(plain.encoding).toBeUndefined()
    expect(plain.bytes).toBeGreaterThan(5_000)
    for (const [accepted, chosen] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['*', 'br'],
      ['gzip;q=0', undefined],
    ] as const) {
      const answer = await encodingOf('popups', accepted)
      expect([accepted, answer.encoding]).toEqual([accepted, chosen])
      expect(answer.vary).toMatch(/accept-encoding/i)
      if (chosen) expect(answer.bytes).toBeLessThan(plain.bytes / 3)
    }
    const read = await client().from('popups').select('description').like('title', 'Long%')
    expect(read.data).toHaveLength(10)
    expect(read.data?.[0]).toEqual({ description })
  })

  it('leaves short answers as they are', async () => {
    expect((await encodingOf('popups?select=title', 'gzip, br')).encoding).toBeUndefined()
  })
})
