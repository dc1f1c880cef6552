import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readArchive, writeArchive } from '#server/backup/archive.ts'
import type { Entry } from '#server/backup/tar.ts'
import { findProgram } from '../../scripts/debian-programs.mjs'

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

it.each(kinds)('%s: an archive reads back as written', async (_, key) => {
  expect(await unpack(await pack(key), key)).toEqual(entries)
  const many = Array.from({ length: 2_345 }, (_each, i) => ({
    name: `tables/app.many/${i}`,
    data: Buffer.from(String(i)),
  }))
  expect(await unpack(await pack(key, many), key)).toEqual(many)
})

it.each(kinds)('%s: refuses a truncated archive, at any offset', async (_, key) => {
  const whole = await pack(key)
  const step = Math.ceil(whole.length / 60)
  const lengths = new Set([0, 1, 7, 8, 24, 25, 30])
  for (let at = step; at < whole.length; at += step) lengths.add(at)
  for (let back = 1; back < 40; back++) lengths.add(whole.length - back)
  for (const length of lengths)
    await expect(unpack(whole.subarray(0, length), key), `at ${length}`).rejects.toEqual(refused)
})

it('encrypted: refuses an altered archive, at any offset', async () => {
  const whole = await pack(passphrase)
  for (const [altered, at] of alterations(whole, 200))
    await expect(unpack(altered, passphrase), `at ${at}`).rejects.toEqual(refused)
})

it(
  'plain: refuses an altered archive, or it unpacks to the same',
  { tags: ['extended'] },
  async () => {
    // gzip's header has a time, and deflate several ways to write the same bytes.
    let refusals = 0
    for (const [altered, at] of alterations(await pack(), 20)) {
      const found = await unpack(altered).catch((error: unknown) => error)
      if (found instanceof Error) refusals++
      expect(found, `at ${at}`).toEqual(found instanceof Error ? refused : entries)
    }
    expect(refusals).toBeGreaterThan(50)
  },
)

/** One byte at a time: each of the header, and some of the rest. */
function* alterations(whole: Buffer, headerBytes: number): Generator<[Buffer, number]> {
  const step = Math.ceil(whole.length / 60)
  for (let at = 0; at < whole.length; at += at < headerBytes ? 1 : step) {
    const altered = Buffer.from(whole)
    altered[at] = (altered[at] ?? 0) ^ 0x10
    yield [altered, at]
  }
}

it('a backup refuses a second archive after the end, and anything after an encrypted one', async () => {
  const plain = await pack()
  await expect(unpack(Buffer.concat([plain, plain]))).rejects.toEqual(refused)
  const whole = await pack(passphrase)
  for (const more of [Buffer.from('x'), Buffer.alloc(1_000), whole])
    await expect(unpack(Buffer.concat([whole, more]), passphrase)).rejects.toEqual(refused)
})

it('a backup needs the passphrase that it was written with', async () => {
  const whole = await pack(passphrase)
  await expect(unpack(whole, `${passphrase}!`)).rejects.toThrow('The passphrase is wrong')
  await expect(unpack(whole, passphrase)).resolves.toEqual(entries)
  await expect(unpack(whole)).rejects.toThrow('set BACKUP_PASSPHRASE')
  expect(whole.includes('manifest.json')).toBe(false)
})

it(
  'a backup reads format 1 with its own cipher, and refuses it truncated or altered',
  { tags: ['extended'] },
  async () => {
    const whole = await readFile('test/fixtures/backup-of-format-1.tar.gz.enc')
    const found = (await unpack(whole, passphrase)).map(({ name }) => name)
    expect(found[0]).toBe('manifest.json')
    expect(found).toContain('tables/auth.users/00000001')
    for (const length of [7, 20, 5_000, whole.length - 1])
      await expect(unpack(whole.subarray(0, length), passphrase)).rejects.toEqual(refused)
    for (const at of [8, 20, 26, 5_000, whole.length - 1]) {
      const altered = Buffer.from(whole)
      altered[at] = (altered[at] ?? 0) ^ 0x10
      await expect(unpack(altered, passphrase), `at ${at}`).rejects.toEqual(refused)
    }
    await expect(unpack(Buffer.concat([whole, whole]), passphrase)).rejects.toEqual(refused)
  },
)

it('a backup does not write an end after an error', async () => {
  async function* failing(): AsyncGenerator<Entry> {
    yield* entries
    throw new Error('the database went away')
  }
  const read = async () => {
    for await (const _chunk of writeArchive(failing(), undefined));
  }
  await expect(read()).rejects.toThrow('the database went away')
})

it('a backup opens with tar', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-archive-'))
  try {
    await writeFile(join(folder, 'backup.tar.gz'), await pack())
    const names = execFileSync('tar', ['-tzf', 'backup.tar.gz'], { cwd: folder }).toString()
    expect(names.trim().split('\n')).toEqual(entries.map(({ name }) => name))
    execFileSync('tar', ['-xzf', 'backup.tar.gz'], { cwd: folder })
    expect(await readFile(join(folder, 'tables/app.links/00000001'))).toEqual(entries[2]?.data)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

const age = process.platform === 'linux' ? findProgram('age') : undefined

/** age asks for a passphrase at a terminal only, so it gets one. */
async function runAge(args: string): Promise<void> {
  const command = spawn('script', ['-qec', `${age} ${args}`, '/dev/null'])
  command.stdout.on('data', (chunk: Buffer) => {
    if (chunk.includes('passphrase')) command.stdin.write(`${passphrase}\n`)
  })
  expect(await once(command, 'exit')).toEqual([0, null])
}

it.runIf(age)(
  'a backup opens with age and tar when it is encrypted, and reads an archive that age encrypted',
  { tags: ['extended'] },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hoplet-archive-'))
    try {
      const path = join(folder, 'backup.tar.gz')
      await writeFile(`${path}.age`, await pack(passphrase))
      await runAge(`-d -o ${path} ${path}.age`)
      execFileSync('tar', ['-xzf', path], { cwd: folder })
      expect(await readFile(join(folder, 'tables/app.links/00000001'))).toEqual(entries[2]?.data)
      await runAge(`-p -o ${path}.again.age ${path}`)
      expect(await unpack(await readFile(`${path}.again.age`), passphrase)).toEqual(entries)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
)
