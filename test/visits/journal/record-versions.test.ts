import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { startRecordVersion } from '#server/visits/record/record-version.ts'
import { makeLink, open, type RuledLink, save } from '#test/links/rules.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeAccount } from '#test/tables/accounts.ts'

let server: TestServer
let link: RuledLink
beforeAll(async () => {
  server = await startTestServer()
  const owner = await makeAccount(server, { plan: 'business' })
  link = await makeLink(server, owner)
  const when = [{ fact: 'query', name: 'ref', is: ['=mail'] }]
  await save(server, owner, link, 0, [{ id: 'mail', when, to: 'https://example.com/m' }])
  await server.context.peers.run()
})
afterAll(() => server.close())

/** A server of release 1.0 announces itself. */
const addFormerServer = () =>
  server.sql(`insert into app.servers (id, host, version, key_id, public_url)
    select gen_random_uuid(), 'former', '1.0.0', key_id, public_url from app.servers`)
const removeFormerServer = () => server.sql(`delete from app.servers where host = 'former'`)

/** Versions of the records in the journal, in their order. */
async function recorded(): Promise<string[]> {
  const folder = join(server.context.config.dataDir, 'journal')
  const files = await readdir(folder, { recursive: true })
  const logs = files.filter((file) => file.endsWith('.log')).toSorted()
  const texts = await Promise.all(logs.map((file) => readFile(join(folder, file), 'latin1')))
  return [...texts.join('').matchAll(/HPL(\d)/g)].map(([, version = '']) => version)
}

it('clicks are recorded in version 2 while a server reads no more, then in 3, and all arrive whole', async () => {
  const { visits } = server.context
  const query = `?ref=mail&fill=${'x'.repeat(470)}&utm_term=last`
  const openNow = async () => {
    await visits.compareRecords()
    expect((await open(server, link, query.padEnd(513, 'y'))).status).toBe(302)
  }
  await addFormerServer()
  await openNow()
  await removeFormerServer()
  await openNow()
  await addFormerServer()
  await openNow()
  await removeFormerServer()
  expect(await recorded()).toEqual(['2', '3', '2'])
  const hits = `select o.rule, left(o.utm_term, 4) as term, e.verdict::text from app.click_events e
    join app.click_scopes s on s.id = e.scope join app.click_origins o on o.id = e.origin where s.ref = $1 order by e.at`
  const hit = { rule: 'mail', term: 'last' }
  await expect
    .poll(() => server.sql(hits, [link.id]), { timeout: 60_000 })
    .toEqual(['c', 'r', 'r'].map((verdict) => ({ ...hit, verdict })))
})

it('with CLICK_RECORDS=2 clicks stay in version 2', async () => {
  const { database } = server.context
  const versionWith = async (clickRecords: number) => {
    const config = { clickRecords }
    const version = startRecordVersion({ config, database, log: createLog('silent') })
    await version.run()
    await version.close()
    return version.written()
  }
  expect(await versionWith(2)).toBe(2)
  // Control: every server reads 3.
  expect(await versionWith(3)).toBe(3)
})
