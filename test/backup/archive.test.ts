import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readArchive, writeArchive } from '#server/backup/archive.ts'
import type { Entry } from '#server/backup/tar.ts'

const entries: Entry[] = [
  { name: 'manifest.json', data: Buffer.from('{}') },
  { name: 'tables/app.empty/00000001', data: Buffer.alloc(0) },
  { name: 'tables/app.links/00000001', data: randomBytes(200_000) },
  // Zeros compress to references that other references could replace.
  { name: 'tables/app.links/00000002', data: Buffer.alloc(5_120) },
]
const passphrase = 'a passphrase for tests'

const kinds: [string, string | undefined][] = [
  ['plain', undefined],
  ['encrypted', passphrase],
]

async function* from<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

async function pack(key?: string, files = entries): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of writeArchive(from(files), key, 10)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** In pieces of odd sizes, as a disk or a network may give them. */
async function unpack(bytes: Buffer, key?: string): Promise<Entry[]> {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 7_919) pieces.push(bytes.subarray(at, at + 7_919))
  const found: Entry[] = []
  for await (const { name, data } of readArchive(from(pieces), key))
    found.push({ name, data: Buffer.from(data) })
  return found
}

const refused = expect.objectContaining({ name: 'BackupError' })

it.each(kinds)('%s: reads what it wrote', async (_, key) => {
  expect(await unpack(await pack(key), key)).toEqual(entries)
  const many = Array.from({ length: 2_345 }, (_each, i) => ({
    name: `tables/app.many/${i}`,
    data: Buffer.from(String(i)),
  }))
  expect(await unpack(await pack(key, many), key)).toEqual(many)
})

it.each(kinds)('%s: refuses what was truncated, at any offset', async (_, key) => {
  const whole = await pack(key)
  const step = Math.ceil(whole.length / 60)
  const lengths = new Set([0, 1, 7, 8, 24, 25, 30])
  for (let at = step; at < whole.length; at += step) lengths.add(at)
  for (let back = 1; back < 40; back++) lengths.add(whole.length - back)
  for (const length of lengths)
    await expect(unpack(whole.subarray(0, length), key), `at ${length}`).rejects.toEqual(refused)
})

it.each(kinds)('%s: refuses what was altered, at any offset', async (_, key) => {
  const whole = await pack(key)
  const step = Math.ceil(whole.length / 60)
  for (let at = 0; at < whole.length; at += at < 40 ? 1 : step) {
    const altered = Buffer.from(whole)
    altered[at] = (altered[at] ?? 0) ^ 0x10
    await expect(unpack(altered, key), `at ${at}`).rejects.toEqual(refused)
  }
})

it('refuses bytes after the end', async () => {
  for (const key of [undefined, passphrase]) {
    const whole = await pack(key)
    for (const more of [Buffer.from('x'), Buffer.alloc(1_000), whole])
      await expect(unpack(Buffer.concat([whole, more]), key)).rejects.toEqual(refused)
  }
})

it('refuses chunks in another order, or one less', async () => {
  const whole = await pack(passphrase)
  const [header, size] = [25, 4 + 64 * 1024 + 16]
  const chunk = (i: number) => whole.subarray(header + i * size, header + (i + 1) * size)
  const rest = whole.subarray(header + 3 * size)
  const start = whole.subarray(0, header)
  const swapped = Buffer.concat([start, chunk(1), chunk(0), chunk(2), rest])
  const shorter = Buffer.concat([start, chunk(0), chunk(2), rest])
  await expect(
    unpack(Buffer.concat([start, chunk(0), chunk(1), chunk(2), rest]), passphrase),
  ).resolves.toHaveLength(entries.length)
  await expect(unpack(swapped, passphrase)).rejects.toEqual(refused)
  await expect(unpack(shorter, passphrase)).rejects.toEqual(refused)
})

it('needs the passphrase that it was written with', async () => {
  const whole = await pack(passphrase)
  await expect(unpack(whole, `${passphrase}!`)).rejects.toThrow('The passphrase is wrong')
  await expect(unpack(whole)).rejects.toThrow('set BACKUP_PASSPHRASE')
  expect(whole.includes('manifest.json')).toBe(false)
})

it('does not write an end after an error', async () => {
  async function* failing(): AsyncGenerator<Entry> {
    yield* entries
    throw new Error('the database went away')
  }
  const read = async () => {
    for await (const _chunk of writeArchive(failing(), undefined));
  }
  await expect(read()).rejects.toThrow('the database went away')
})

it('is a tar archive with checksums that other programs check', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-archive-'))
  try {
    await writeFile(join(folder, 'backup.tar.gz'), await pack())
    execFileSync('tar', ['-xzf', 'backup.tar.gz'], { cwd: folder })
    expect(await readFile(join(folder, 'tables/app.links/00000001'))).toEqual(entries[2]?.data)
    const checked = execFileSync('sha256sum', ['-c', 'SHA256SUMS.000001'], { cwd: folder })
    expect(checked.toString().match(/: OK$/gm)).toHaveLength(entries.length)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
