import { addressOfName } from '#domain/links/link-address.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { csvLines } from '#domain/csv.ts'
import { hitColumns } from '../../analytics/hit-cells.ts'
import { orThrow } from '../../primitives/or-throw.ts'
import { archiveBounds, archiveFormat, ArchiveTally, archiveVersion } from './archive-bounds.ts'
import {
  type ArchiveSource,
  type ArchiveStep,
  readArchivedHits,
  showsClicks,
} from './archive-hits.ts'
import {
  type ArchiveFacts,
  archiveLists,
  readArchiveFacts,
  readImageHashes,
  readList,
} from './archive-lists.ts'
import type { ArchiveWriter } from './archive-writer.ts'

/** The pause after a page as a part of its time: visitors have the rest. */
const pauseFactor = 1
/** Percent of the progress at the end of the links, and at the begin of the clicks. */
const linksUntil = 40
const clicksFrom = 50

const lists = [
  ['tags.jsonl', 'tags'],
  ['popups.jsonl', 'popups'],
  ['shared_reports.jsonl', 'sharedReports'],
  ['utm_templates.jsonl', 'utmTemplates'],
  ['qr_looks.jsonl', 'qrLooks'],
  ['day_notes.jsonl', 'dayNotes'],
  ['audience.jsonl', 'audience'],
] as const satisfies readonly (readonly [string, keyof typeof archiveLists])[]

/** An archive that is being written. */
interface Making extends ArchiveStep {
  source: ArchiveSource
  writer: ArchiveWriter
  tally: ArchiveTally
  facts: ArchiveFacts
}

/**
 * Writes the archive of an account by docs/archive.md, page by page.
 *
 * @returns the rows and bytes of its files, and the parts that are left out
 */
export async function makeArchive(
  source: ArchiveSource,
  writer: ArchiveWriter,
  step: ArchiveStep,
): Promise<ArchiveTally> {
  const tally = new ArchiveTally(source.maxBytes)
  const facts = orThrow(
    await readArchiveFacts(source.database, source.account),
    () => new Error('the account of an archive has no facts'),
  )
  const making = { ...step, source, writer, tally, facts }
  await addLinks(making)
  for (const [file, list] of lists) await addLines(making, file, archiveLists[list])
  if (facts.bio_page !== null) {
    const page = [[`${JSON.stringify(facts.bio_page)}\n`]]
    await writer.add('bio_page.json', counted(making, 'bio_page.json', page))
  }
  await addImages(making)
  step.onProgress(clicksFrom)
  if (await showsClicks(source)) await addHits(making)
  await writer.add('archive.json', single(`${JSON.stringify(aboutArchive(making), null, 2)}\n`))
  return tally
}

/** Counts the texts of a file, and yields them page by page until one finds no room. */
async function* counted(
  { tally, signal }: Pick<Making, 'tally' | 'signal'>,
  file: string,
  pages: AsyncIterable<string[]> | Iterable<string[]>,
  onRows: (rows: number) => void = () => {},
): AsyncGenerator<string> {
  let rows = 0
  let startedAt = performance.now()
  for await (const page of pages) {
    signal.throwIfAborted()
    const full = page.findIndex((text) => !tally.take(file, Buffer.byteLength(text)))
    const taken = full === -1 ? page : page.slice(0, full)
    rows += taken.length
    yield taken.join('')
    if (full !== -1) return
    onRows(rows)
    await sleep((performance.now() - startedAt) * pauseFactor, undefined, { signal })
    startedAt = performance.now()
  }
}

/** The first rows of a list, and a sentence about the others. */
async function* bounded(
  tally: ArchiveTally,
  file: string,
  pages: AsyncIterable<string[]>,
  { rows, reason }: { rows: number; reason: string },
): AsyncGenerator<string[]> {
  let left = rows
  for await (const page of pages) {
    yield page.slice(0, left)
    if (page.length > left) {
      tally.leaveOut(file, reason)
      return
    }
    left -= page.length
  }
}

async function addLines(
  making: Making,
  file: string,
  list: (typeof archiveLists)[keyof typeof archiveLists],
): Promise<void> {
  const { source, tally, writer } = making
  tally.open(file)
  const pages = mapPages(readList(source.database, source.account, list), (row) => `${row}\n`)
  await writer.add(file, counted(making, file, pages))
}

/** A CSV. Its line of column names counts as bytes, and as no row. */
async function* csvOf(
  making: Making,
  file: string,
  head: readonly string[],
  pages: AsyncIterable<string[]>,
): AsyncGenerator<string> {
  const line = csvLines([head])
  if (!making.tally.take(file, Buffer.byteLength(line), 0)) return
  yield line
  yield* counted(making, file, pages)
}

const linksHead = ['short_link', 'destination', 'title', 'tags', 'clicks', 'active', 'created_at']
const firstLinks = {
  rows: archiveBounds.links,
  reason: 'Links beyond the newest 100,000 are left out.',
}

interface LinkRow {
  short_code: string
  domain: string | null
  original_url: string
  title: string | null
  tags: string[]
  click_count: number | null
  is_disabled: boolean
  created_at: string
}

async function addLinks(making: Making): Promise<void> {
  const { source, tally, writer, facts, onProgress } = making
  const { database, account } = source
  const lines = mapPages(readList(database, account, archiveLists.links), (row) => `${row}\n`)
  tally.open('links.jsonl')
  await writer.add(
    'links.jsonl',
    counted(making, 'links.jsonl', bounded(tally, 'links.jsonl', lines, firstLinks), (rows) =>
      onProgress((linksUntil * rows) / Math.max(rows, facts.links)),
    ),
  )
  const rows = mapPages(readList(database, account, archiveLists.linkRows), (text) => {
    const link = JSON.parse(text) as LinkRow
    return csvLines([
      [
        addressOfName(addressOf(source), { name: link.short_code, domain: link.domain }),
        link.original_url,
        link.title,
        link.tags.join(', '),
        link.click_count,
        link.is_disabled ? 'no' : 'yes',
        link.created_at,
      ],
    ])
  })
  await writer.add(
    'links.csv',
    csvOf(making, 'links.csv', linksHead, bounded(tally, 'links.csv', rows, firstLinks)),
  )
}

async function addImages({ source, tally, writer, signal }: Making): Promise<void> {
  let images = 0
  for await (const hash of readImageHashes(source.database, source.account)) {
    signal.throwIfAborted()
    const bytes = await source.readImage(hash)
    if (!bytes) continue
    if (++images > archiveBounds.images) {
      tally.leaveOut('media', 'Images beyond 9,000 are left out.')
      return
    }
    if (!tally.take('media', bytes.length)) return
    await writer.add(`media/${hash}.webp`, single(bytes), { isPacked: true })
  }
}

async function addHits(making: Making): Promise<void> {
  const { source, tally, writer, facts, onProgress } = making
  const now = source.madeAt.getTime()
  const whole = Math.max(1, now - Date.parse(String(facts.account['created_at'])))
  const pages = readArchivedHits(source, (at) =>
    onProgress(clicksFrom + ((100 - clicksFrom) * (now - at)) / whole),
  )
  const first = {
    rows: archiveBounds.hits,
    reason: 'Hits beyond the newest 5,000,000 are left out.',
  }
  await writer.add(
    'clicks.csv',
    csvOf(making, 'clicks.csv', hitColumns, bounded(tally, 'clicks.csv', pages, first)),
  )
}

function aboutArchive({ source, tally, facts: { account, audience } }: Making) {
  return {
    format: archiveFormat,
    version: archiveVersion,
    program: 'hoplet',
    program_version: source.version,
    address: addressOf(source),
    made_at: source.madeAt.toISOString(),
    account,
    audience,
    files: tally.files,
    left_out: tally.leftOut,
  }
}

function addressOf({ linksUrl }: ArchiveSource): string {
  return linksUrl.replace(/\/$/, '')
}

async function* mapPages(
  pages: AsyncIterable<string[]>,
  textOf: (row: string) => string,
): AsyncGenerator<string[]> {
  for await (const page of pages) yield page.map(textOf)
}

async function* single<Part>(part: Part): AsyncGenerator<Part> {
  yield await Promise.resolve(part)
}
