import type { Readable } from 'node:stream'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import * as z from 'zod'
import { type Entry, open as openZip, type ZipFile } from 'yauzl'
import { HttpError } from '../http/errors.ts'
import { matchError } from '../primitives/caught-error.ts'
import { parseJson } from '../primitives/parse-json.ts'
import { readUpTo } from '../primitives/read-up-to.ts'
import { archiveFormat, archiveVersion } from './archive/archive-bounds.ts'
import type { HitWriter } from './import-hits.ts'
import { HitTargets, storeArchivedHits } from './store-archived-hits.ts'
import { damagedArchive, TransferError } from './transfer-error.ts'

/** Contents of an archive, unpacked. */
export const maxArchiveBytes = 2 * 1024 * 1024 * 1024
const maxLineBytes = 4 * 1024 * 1024
const maxImageBytes = 8 * 1024 * 1024
const maxEntries = 10_000

const manifestShape = z.object({ format: z.literal(archiveFormat), version: z.int().min(1) })

/** Lists in the order in which they are written: tags and popups come before the links that have them. */
const lists = [
  ['tags.jsonl', 'tag'],
  ['utm_templates.jsonl', 'utm_template'],
  ['qr_looks.jsonl', 'qr_look'],
  ['day_notes.jsonl', 'day_note'],
  ['popups.jsonl', 'popup'],
  ['links.jsonl', 'archived_link'],
  ['bio_page.json', 'bio_page'],
  ['audience.jsonl', 'lead'],
] as const

/** Stores an image, and returns its path here; undefined when it is refused. */
export type StoreImage = (bytes: Uint8Array) => Promise<string | undefined>

const notAnArchive = () =>
  new TransferError(
    'This is not an archive of Hoplet. Please unpack it, and send the CSV or JSON in it.',
  )
const tooLarge = () => new TransferError('An archive can have at most 2 GB of contents')

/**
 * Reads an archive (docs/archive.md): a record for each tag, template, look, note, popup, link, page and address, with `archived` as its
 * kind, and one for all hits, which `hits` stores. Images are stored first. At most one line, one image and a batch of hits are in
 * memory, and the ids of links.
 *
 * @throws {TransferError} for another file, a later version, or damaged contents
 */
export async function* readAccountArchive(
  path: string,
  storeImage: StoreImage,
  hits: HitWriter,
): AsyncGenerator<Record<string, unknown>> {
  const zip = await openAt(path)
  try {
    const entries = await entriesOf(zip)
    await checkManifest(zip, entries)
    const images = await storeImages(zip, entries, storeImage)
    const targets = new HitTargets()
    for (const [name, archived] of lists) {
      const entry = entries.get(name)
      if (!entry) continue
      for await (const row of rowsOf(zip, entry)) {
        targets.add(row, archived)
        yield { ...withImages(row, images), archived }
      }
    }
    const clicks = entries.get('clicks.csv')
    const read = clicks && (await storeArchivedHits(() => contentOf(zip, clicks), targets, hits))
    if (read) yield { ...read, archived: 'hits' }
  } finally {
    zip.close()
  }
}

async function openAt(path: string): Promise<ZipFile> {
  const open = promisify<string, object, ZipFile>(openZip)
  return open(path, { lazyEntries: true, autoClose: false }).catch(() => {
    throw notAnArchive()
  })
}

/** Entries by name. yauzl refuses absolute names and those that climb out of a folder. */
function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  let bytes = 0
  return new Promise((resolve, reject) => {
    zip.on('error', () => reject(damagedArchive()))
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: Entry) => {
      bytes += entry.uncompressedSize
      if (bytes > maxArchiveBytes || entries.size >= maxEntries) {
        reject(tooLarge())
        return
      }
      entries.set(entry.fileName, entry)
      zip.readEntry()
    })
    zip.readEntry()
  })
}

/** The contents; yauzl compares their size with the declared one. */
async function contentOf(zip: ZipFile, entry: Entry): Promise<Readable> {
  const open = promisify<Entry, Readable>(zip.openReadStream.bind(zip) as never)
  return open(entry).catch(() => {
    throw damagedArchive()
  })
}

async function checkManifest(zip: ZipFile, entries: ReadonlyMap<string, Entry>): Promise<void> {
  const entry = entries.get('archive.json')
  const bytes = entry && (await readUpTo(await contentOf(zip, entry), 1024 * 1024))
  const manifest = manifestShape.safeParse(bytes && parseJson(bytes.toString('utf8')))
  if (!manifest.success) throw notAnArchive()
  const { version } = manifest.data
  if (version > archiveVersion)
    throw new TransferError(
      `This archive has format ${version}. This server reads formats up to ${archiveVersion}: please update it first.`,
    )
}

/** Paths of images here by those there. An image that is refused leaves its places empty. */
async function storeImages(
  zip: ZipFile,
  entries: ReadonlyMap<string, Entry>,
  storeImage: StoreImage,
): Promise<Map<string, string | null>> {
  const images = new Map<string, string | null>()
  for (const [name, entry] of entries) {
    const [, hash] = /^media\/([0-9a-f]{64})\.webp$/.exec(name) ?? []
    if (hash === undefined) continue
    const bytes = await readUpTo(await contentOf(zip, entry), maxImageBytes)
    images.set(`/media/${hash}.webp`, (bytes && (await storeImage(bytes))) ?? null)
  }
  return images
}

const imageColumns = ['image_url', 'avatar_url', 'preview_image_url']

function withImages(
  row: Record<string, unknown>,
  images: ReadonlyMap<string, string | null>,
): Record<string, unknown> {
  const changed = { ...row }
  for (const column of imageColumns) {
    const path = row[column]
    if (typeof path === 'string' && path.startsWith('/media/'))
      changed[column] = images.get(path) ?? null
  }
  const { links } = row
  if (Array.isArray(links))
    changed['links'] = links.map((link: unknown) =>
      withImages(Object(link) as Record<string, unknown>, images),
    )
  return changed
}

async function* rowsOf(zip: ZipFile, entry: Entry): AsyncGenerator<Record<string, unknown>> {
  const { fileName: name } = entry
  let line = 0
  try {
    for await (const text of linesOf(await contentOf(zip, entry), name.endsWith('.json'))) {
      line++
      if (text.trim() === '') continue
      const row = parseJson(text)
      if (typeof row !== 'object' || row === null || Array.isArray(row))
        throw new TransferError(`Line ${line} of ${name} is not an object`)
      yield row as Record<string, unknown>
    }
  } catch (error) {
    throw matchError(error, [TransferError, (known): Error => known]) ?? damagedArchive()
  }
}

/** @param isWhole the file is one value */
async function* linesOf(content: Readable, isWhole: boolean): AsyncGenerator<string> {
  if (isWhole) {
    const bytes = await readUpTo(content, maxLineBytes)
    if (!bytes) throw new TransferError('The bio page is larger than 4 MB')
    yield bytes.toString('utf8')
    return
  }
  let pending = 0
  content.on('data', (chunk: Buffer) => {
    pending = chunk.includes(10) ? 0 : pending + chunk.length
    if (pending > maxLineBytes) content.destroy(new TransferError('A line is longer than 4 MB'))
  })
  yield* createInterface({ input: content, crlfDelay: Infinity })
}

/** Whether an error of the media says that an image is refused, and not that the server has a fault. */
export function isRefusedImage(error: unknown): boolean {
  return error instanceof HttpError && error.status < 500
}
