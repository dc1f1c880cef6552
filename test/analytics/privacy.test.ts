import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { visitorNumber } from '#server/visits/record/decode-clicks.ts'
import { recordLog } from '#test/record-log.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { browser, visit } from '#test/visits/visit.ts'

const addresses = ['198.51.100.123', '2001:db8:77::123']
const referrer = 'planted-referrer.example'
const { log, lines } = recordLog()

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ trustedProxies: 1 }, {}, log)
  const [link] = await plantLinks(server.sql, [{ code: 'private', url: 'https://example.com/' }])
  if (!link) throw new Error('nothing planted')
  for (const address of addresses) {
    const headers = { 'x-forwarded-for': address, referer: `https://${referrer}/` }
    // A visit on the fast lane, one through node:http, a refused one, a page, and a file of the app.
    await visit(server.url, '/private', { headers })
    await visit(server.url, '/private', { headers, method: 'HEAD' })
    await visit(server.url, '/private', { headers, method: 'POST' })
    await visit(server.url, '/no-such-code', { headers })
    await visit(server.url, '/demo', { headers })
    await visit(server.url, '/robots.txt', { headers })
  }
  await vi.waitFor(
    async () =>
      expect(await server.sql('select count(*)::int as n from app.click_events')).toEqual([
        { n: 2 * addresses.length },
      ]),
    { timeout: 240_000, interval: 100 },
  )
})
afterAll(() => server.close())

/** Every row of every table as text. */
async function everyRow(): Promise<string> {
  const tables = await server.sql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('app', 'auth', 'hoplet')`,
  )
  const texts: string[] = []
  for (const { name } of tables) {
    const rows = await server.sql<{ row: string }>(`select t::text as row from ${name} t`)
    texts.push(...rows.map(({ row }) => row))
  }
  return texts.join('\n')
}

/** Every byte of every file, one character each. */
function everyFile(folder: string): string {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isDirectory() ? everyFile(path) : readFileSync(path, 'latin1')))
    .join('\n')
}

const places: [string, () => string | Promise<string>][] = [
  ['the database', everyRow],
  ['the data directory', () => everyFile(server.context.config.dataDir)],
  ['the log', () => JSON.stringify(lines)],
]

describe("a visitor's address", () => {
  it.each(places)('is not in %s, in any form', async (_name, read) => {
    const text = await read()
    for (const address of addresses) {
      expect(text).not.toContain(address)
      expect(text).not.toContain(Buffer.from(address).toString('base64'))
    }
    expect(text).not.toContain(Buffer.from([198, 51, 100, 123]).toString('latin1'))
  })

  it.each(places.slice(0, 2))(
    'is looked for where the referrer is found: %s (control)',
    async (_name, read) => {
      expect(await read()).toContain(referrer)
    },
  )

  it('is logged as its network only (control)', () => {
    expect(lines.length).toBeGreaterThan(0)
    expect(JSON.stringify(lines)).toContain('"network":"')
  })

  it('cannot be found again by its hash: only 8 of 32 bytes are kept, and the key goes after a day', async () => {
    const keys = await server.sql<{ key: Buffer }>('select key from app.visitor_keys')
    const hashes = keys.flatMap(({ key }) =>
      addresses.map((address) =>
        createHmac('sha256', key).update(`${address}\n${browser}`).digest(),
      ),
    )
    const files = everyFile(server.context.config.dataDir)
    const rows = await everyRow()
    for (const hash of hashes) {
      for (const encoding of ['hex', 'base64', 'latin1'] as const)
        expect(files + rows).not.toContain(hash.toString(encoding))
    }
    // The control: the hash is made like this, and its first 8 bytes are in the journal, 53 bits in the database.
    expect(hashes.filter((hash) => files.includes(hash.toString('latin1', 0, 8)))).toHaveLength(2)
    expect(hashes.filter((hash) => rows.includes(String(visitorNumber(hash))))).toHaveLength(2)

    await server.sql(`insert into app.visitor_keys select app.today() - n, sha256(n::text::bytea) from generate_series(1, 5) n
      on conflict do nothing`)
    await server.sql('select app.keep_visitor_keys(sha256($1), sha256($1))', ['x'])
    expect(
      await server.sql('select day - app.today() as day from app.visitor_keys order by day'),
    ).toEqual([{ day: -1 }, { day: 0 }, { day: 1 }])
  })
})
