import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { makeUser } from '../factories.ts'
import { sharedServer, type TestServer } from '../server.ts'
import { importsOf } from './import-client.ts'

let server: TestServer
let imports: ReturnType<typeof importsOf>
beforeAll(async () => {
  server = await sharedServer()
  imports = importsOf(server, await makeUser(server, { plan: 'business' }))
})

const head = 'long_url,custom_bitlink,title,archived,tags,created_at\n'
const row = (title: string) => `https://a.example,bit.ly/abc,"${title}",false,,2020-01-01\n`

async function refusal(content: BlobPart, name = 'links.csv') {
  const response = await imports.sendFile(content, name)
  const { error } = (await response.json()) as { error: string }
  return [response.status, error]
}

test('an empty file, and one without rows, are refused with a sentence', async () => {
  expect(await refusal('')).toEqual([422, 'The file is empty'])
  expect(await refusal(head)).toEqual([422, 'The file has no rows'])
  expect(await refusal('{"links": []}')).toEqual([422, 'The file has no rows'])
})

test('a file with 10,000 columns is refused', async () => {
  const columns = Array.from({ length: 10_000 }, (_, i) => `c${i}`).join(',')
  expect(await refusal(`${columns}\n1\n`)).toEqual([
    422,
    'The file has 10,000 columns; at most 200 are read',
  ])
})

test('a row of some MB is refused by its number, in a CSV and in JSON', async () => {
  const long = 'x'.repeat(3_000_000)
  expect(await refusal(`${head}${row('fine')}${row(long)}`)).toEqual([
    422,
    'Row 2 is longer than 100 kB',
  ])
  const json = JSON.stringify([
    { original_url: 'https://a.example' },
    { original_url: 'https://b.example', title: long },
  ])
  expect(await refusal(json, 'links.json')).toEqual([422, 'Row 2 is longer than 100 kB'])
})

test('JSON that ends in the middle is refused by its last row', async () => {
  const json = '[{"original_url": "https://a.example"}, {"original_url": "https://b'
  expect(await refusal(json, 'links.json')).toEqual([422, 'The file ends in the middle'])
  expect(await refusal('[{"original_url": "https://a.example"}, nonsense]', 'links.json')).toEqual([
    422,
    'The file is not valid JSON after row 1',
  ])
})

test('a packed file is counted as unpacked, and a zip is refused', async () => {
  const bomb = gzipSync(Buffer.alloc(60 * 1024 * 1024, 'a'))
  expect(bomb.length).toBeLessThan(100_000)
  expect(await refusal(bomb, 'links.csv.gz')).toEqual([413, 'A file can have at most 50 MB'])
  expect((await refusal('PK\u0003\u0004 and more', 'links.zip'))[0]).toBe(422)
  const packed = await imports.check(gzipSync(`${head}${row('fine')}`), 'links.csv.gz')
  expect(packed).toMatchObject({ name: 'links.csv', totals: { made: 1 } })
})

test('more than 100,000 rows are refused, and nothing of them stays', async () => {
  const many = `original_url\n${'https://a.example\n'.repeat(100_001)}`
  expect(await refusal(many)).toEqual([
    422,
    'An import has at most 100,000 rows. Please divide the file.',
  ])
  const rows = await server.sql(
    'select count(*)::int as n from app.import_rows where place > 50000',
  )
  expect(rows).toEqual([{ n: 0 }])
})

test('files in other encodings read as their people wrote them', async () => {
  const text = 'original_url;title\nhttps://a.example;Größe – ja\n'
  const windows = Buffer.from(text.replace('–', '\u0096'), 'latin1')
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
  for (const content of [
    windows,
    utf16,
    Buffer.from(text, 'utf16le'),
    Buffer.from(`\uFEFF${text}`),
  ]) {
    const shown = await imports.check(content)
    const [first] = await imports.rows(shown.id)
    expect(first?.title).toBe('Größe – ja')
  }
})

test('formulas stay texts, and NUL is left out', async () => {
  const shown = await imports.check(`original_url,title\nhttps://a.example,"=SUM(A1)\0x"\n`)
  expect((await imports.rows(shown.id))[0]?.title).toBe('=SUM(A1)x')
  const csv = await (await imports.ask(`/${shown.id}/rows?format=csv`)).text()
  expect(csv).toContain('https://a.example')
})

test('a foreign import cannot be seen or changed, like one that is not there', async () => {
  const shown = await imports.check('original_url\nhttps://a.example\n')
  const other = importsOf(server, await makeUser(server))
  const absent = '00000000-0000-4000-8000-000000000000'
  for (const id of [shown.id, absent]) {
    expect((await other.ask(`/${id}`)).status).toBe(404)
    expect((await other.ask(`/${id}/rows`)).status).toBe(404)
    expect((await other.confirm(id)).status).toBe(404)
    expect((await other.act(id, 'undo')).status).toBe(404)
    expect((await other.ask(`/${id}`, { method: 'DELETE' })).status).toBe(404)
  }
  expect((await imports.ask(`/${shown.id}`)).status).toBe(200)
})
