import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../server.ts'
import { makeAccount } from '../tables/accounts.ts'
import { archivesOf, type ReadArchive, type Row } from './archive-client.ts'
import { makeFullAccount, write } from './full-account.ts'
import { importsOf } from './import-client.ts'

const servers: TestServer[] = []
beforeAll(async () => {
  servers.push(await startTestServer(), await startTestServer())
})
afterAll(() => Promise.all(servers.map((server) => server.close())))

/** Images are encoded again where they arrive, so that their hash is another one. */
const imageOf = (value: unknown) =>
  typeof value === 'string' ? value.replace(/^\/media\/[0-9a-f]{64}\.webp$/, '/media/…') : value
const without = (row: Row, names: readonly string[]) =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => !names.includes(name))
      .map(([name, value]) => [name, imageOf(value)]),
  )

/** Rows by their text, without fields that another server has otherwise. */
const shapes = (rows: Row[], ...names: string[]) =>
  rows.map((row) => without(row, names)).toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
const textOf = (row: Row) => String(row['short_code'] ?? row['name'] ?? row['title'] ?? row['day'])

/** Ids are those of the server, and clicks go on from none. */
const ofServer = ['id', 'popup_id', 'click_count', 'first_click_at', 'last_click_at'] as const
/** A link has its former address; without its password it is off. */
const ofImport = ['former_url', 'clicks_before', 'has_password', 'is_disabled'] as const

function compare(there: ReadArchive, here: ReadArchive): void {
  const links = ({ rows }: ReadArchive) =>
    shapes(rows('links.jsonl'), ...ofServer, ...ofImport).map((row) => ({
      ...row,
      // Dates come along to the millisecond.
      created_at: new Date(String(row['created_at'])).toISOString(),
      expectations: (row['expectations'] as Row[]).map((one) => without(one, ['created_at'])),
    }))
  expect(links(here)).toEqual(links(there))
  for (const file of ['utm_templates.jsonl', 'qr_looks.jsonl'])
    expect(shapes(here.rows(file), 'created_at'), file).toEqual(
      shapes(there.rows(file), 'created_at'),
    )
  for (const file of ['tags.jsonl', 'day_notes.jsonl'])
    expect(shapes(here.rows(file), 'created_at'), file).toEqual(
      shapes(there.rows(file), 'created_at'),
    )
  const popups = ({ rows }: ReadArchive) =>
    shapes(rows('popups.jsonl'), 'id', 'version', 'created_at')
  expect(popups(here)).toEqual(popups(there))
  const page = ({ json }: ReadArchive) => {
    const { links: entries, ...others } = json('bio_page.json')
    const plain = without(others, [...ofServer, 'visit_count'])
    return { ...plain, links: (entries as Row[]).map((entry) => without(entry, ofServer)) }
  }
  expect(page(here)).toEqual(page(there))
  const images = ({ names }: ReadArchive) => names.filter((name) => name.startsWith('media/'))
  expect(images(here)).toHaveLength(images(there).length)
  expect(here.rows('audience.jsonl').map((lead) => [lead['email'], lead['consent_text']])).toEqual(
    there.rows('audience.jsonl').map((lead) => [lead['email'], lead['consent_text']]),
  )
}

test('an archive that an empty Hoplet has read makes the same archive there', async () => {
  const [first, second] = servers as [TestServer, TestServer]
  const { owner, link } = await makeFullAccount(first, 'moved')
  await write(first, owner, 'shortened_urls', {
    user_id: owner.id,
    original_url: 'https://harbor.example/plain',
    starts_at: '2031-01-01T00:00:00Z',
    fallback_url: 'https://harbor.example/soon',
    redirect_status: 307,
  })
  const archives = archivesOf(first, owner)
  const there = await archives.make()
  const [{ id } = { id: '' }] = (await (await archives.ask()).json()) as { id: string }[]
  const file = await (await archives.ask(`/${id}/file`)).arrayBuffer()

  const guest = await makeAccount(second, { plan: 'business' })
  const imports = importsOf(second, guest)
  const shown = await imports.check(file, 'hoplet-archive.zip')
  expect(shown).toMatchObject({ source: 'archive', state: 'ready' })
  expect(shown.totals).toMatchObject({ made: shown.rows })
  const done = await imports.run(shown.id)
  expect(done, JSON.stringify(await imports.rows(shown.id, 'outcome=failed'))).toMatchObject({
    state: 'done',
    results: { made: shown.rows },
  })
  const here = await archivesOf(second, guest).make()
  compare(there, here)
  const moved = here.rows('links.jsonl').find((row) => row['short_code'] === 'moved-renamed')
  expect(moved).toMatchObject({ is_disabled: true, has_password: false, former_url: 'bit.ly/one' })
  expect(moved?.['id']).not.toBe(link['id'])
})
