import { beforeAll, describe, expect, test } from 'vitest'
import { makeUser, type TestUser } from '../factories.ts'
import { sharedServer, type TestServer } from '../server.ts'
import { archivesOf } from './archive-client.ts'
import { importsOf } from './import-client.ts'

let server: TestServer
let hosts = 0
beforeAll(async () => {
  server = await sharedServer()
})

async function addDomain({ id }: TestUser, more: { isDefault?: boolean } = {}): Promise<string> {
  const host = `moved-${Date.now()}-${++hosts}.example`
  await server.sql(
    'insert into app.domains (user_id, host, is_served, is_default) values ($1, $2, true, $3)',
    [id, host, more.isDefault ?? false],
  )
  return host
}

const linksOf = async (user: TestUser) =>
  (
    await server.sql<{ named: string }>(
      'select app.shown_name(short_code) as named from app.shortened_urls where user_id = $1 order by original_url',
      [user.id],
    )
  ).map(({ named }) => named)

const rowsOf = (host: string) => [
  { original_url: 'https://example.com/1', former_url: `${host}/menu` },
  { original_url: 'https://example.com/2', former_url: 'bit.ly/menu' },
  { original_url: 'https://example.com/3', short_code: 'lunch', domain: host },
]

describe('an import', () => {
  test('leaves links on a domain that the account has, and asks where the others go', async () => {
    const user = await makeUser(server, { plan: 'business' })
    const host = await addDomain(user)
    const other = await addDomain(user)
    const imports = importsOf(server, user)
    const shown = await imports.checkRows(rowsOf(host))
    expect(shown).toMatchObject({ totals: { made: 3 }, domain: '', domains: [host, other].sort() })
    const changed = await imports.ask(`/${shown.id}/read`, imports.json({ domain: other }))
    expect(changed.status).toBe(200)
    const again = await imports.until(shown.id, 'ready')
    expect(again).toMatchObject({ totals: { made: 3 }, domain: other })
    expect((await imports.rows(shown.id)).map(({ domain }) => domain)).toEqual([host, other, host])
    await imports.run(shown.id)
    expect(await linksOf(user)).toEqual([`${host}/menu`, `${other}/menu`, `${host}/lunch`])
    // The same file again finds them there.
    expect((await imports.checkRows(rowsOf(host))).totals).toMatchObject({ here: 2, made: 1 })
  })

  test('goes to the default domain, and to the server on request', async () => {
    const user = await makeUser(server, { plan: 'business' })
    const host = await addDomain(user, { isDefault: true })
    const imports = importsOf(server, user)
    const shown = await imports.checkRows([
      { original_url: 'https://example.com/1', former_url: 'bit.ly/plain' },
    ])
    expect(shown.domain).toBe(host)
    await imports.ask(`/${shown.id}/read`, imports.json({ domain: '' }))
    expect(await imports.until(shown.id, 'ready')).toMatchObject({ domain: '' })
    await imports.ask(`/${shown.id}/read`, imports.json({ domain: host }))
    await imports.until(shown.id, 'ready')
    await imports.run(shown.id)
    expect(await linksOf(user)).toEqual([`${host}/plain`])
  })

  test('is refused for a domain of another account', async () => {
    const user = await makeUser(server, { plan: 'business' })
    const theirs = await addDomain(await makeUser(server))
    const imports = importsOf(server, user)
    const shown = await imports.checkRows([
      { original_url: 'https://example.com/1', former_url: `${theirs}/menu-${hosts}` },
    ])
    for (const body of [{ domain: theirs }, { domain: 'x', source: 'bitly' }, {}])
      expect((await imports.ask(`/${shown.id}/read`, imports.json(body))).status).toBe(400)
    await imports.run(shown.id)
    expect(await linksOf(user)).toEqual([`menu-${hosts}`])
  })
})

test('an archive comes back to the domain of its links', async () => {
  const user = await makeUser(server, { plan: 'business' })
  const host = await addDomain(user)
  const imports = importsOf(server, user)
  const shown = await imports.checkRows(rowsOf(host).slice(0, 1))
  await imports.run(shown.id)
  const page = { slug: 'us', title: 'Us', domain: host }
  await fetch(`${server.url}/rest/v1/rpc/save_bio_page`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ page }),
  })
  const archives = archivesOf(server, user)
  const id = await archives.start()
  await archives.until(id, 'done')
  const { rows, json } = await archives.read(id)
  expect(rows('links.jsonl')).toMatchObject([{ short_code: 'menu', domain: host }])
  expect(json('bio_page.json')).toMatchObject({ slug: 'us', domain: host })
  await server.sql('delete from app.shortened_urls where user_id = $1', [user.id])
  await server.sql('delete from app.bio_pages where user_id = $1', [user.id])
  const back = await imports.check(
    await (await archives.ask(`/${id}/file`)).arrayBuffer(),
    'archive.zip',
  )
  await imports.run(back.id)
  expect(await linksOf(user)).toEqual([`${host}/menu`])
  const pages = await server.sql(
    'select app.shown_name(slug) as named from app.bio_pages where user_id = $1',
    [user.id],
  )
  expect(pages).toEqual([{ named: `${host}/us` }])
})
