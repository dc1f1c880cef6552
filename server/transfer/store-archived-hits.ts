import type { Readable } from 'node:stream'
import {
  archivedHitColumns,
  neededHitColumns,
  readArchivedHit,
} from '#domain/transfer/archived-hit.ts'
import { replaceError } from '../primitives/caught-error.ts'
import { createSlices } from '../primitives/slices.ts'
import type { HitWriter } from './import-hits.ts'
import { readCsv } from './read-csv.ts'
import { damagedArchive, importBounds, TransferError } from './transfer-error.ts'

/** Rows that are refused by name; the others are a number. */
const maxNamed = 5

/** The rows of an import that hits can belong to, by the ids of their links and pages in the archive. */
export class HitTargets {
  readonly #places = new Map<string, string>()
  #rows = 0

  /** Counts a row, in the order in which the import stores them. */
  add(row: Readonly<Record<string, unknown>>, archived: string): void {
    this.#rows++
    if (archived !== 'archived_link' && archived !== 'bio_page') return
    this.#remember(row['id'], String(this.#rows))
    if (archived !== 'bio_page' || !Array.isArray(row['links'])) return
    for (const [index, link] of (row['links'] as unknown[]).entries())
      this.#remember(Reflect.get(Object(link), 'id'), `${this.#rows}.${index}`)
  }

  #remember(id: unknown, place: string): void {
    if (typeof id === 'string' && id.length === 36) this.#places.set(id.toLowerCase(), place)
  }

  placeOf(id: string): string | undefined {
    return this.#places.get(id)
  }
}

/** How many hits of an archive wait for the job, and sentences about the others. */
export interface ReadHits {
  hits: number
  notes: string[]
}

/**
 * Reads `clicks.csv` of an archive row by row, and stores the visits of people to its links and pages.
 *
 * @param open opens the file once
 * @returns undefined when it has no rows
 * @throws {TransferError} for a file that is no CSV, or lacks a column
 */
export async function storeArchivedHits(
  open: () => Promise<Readable>,
  targets: HitTargets,
  writer: HitWriter,
): Promise<ReadHits | undefined> {
  const tally = { rows: 0, bots: 0, elsewhere: 0, beyond: 0, refused: 0 }
  const named: string[] = []
  const pause = createSlices()
  const now = Date.now()
  for await (const cells of recordsOf(await open())) {
    tally.rows++
    await pause()
    if (!writer.hasRoom) {
      tally.beyond++
      continue
    }
    const read = readArchivedHit(cells, now)
    if (read.kind === 'bot') tally.bots++
    if (read.kind === 'refused') {
      tally.refused++
      if (named.length < maxNamed)
        named.push(`Row ${tally.rows.toLocaleString('en')} is left out: ${read.refusal}.`)
    }
    if (read.kind !== 'hit') continue
    const place = targets.placeOf(read.hit.target)
    if (place === undefined) tally.elsewhere++
    else await writer.add(read.hit, place)
  }
  if (tally.rows === 0) return undefined
  await writer.flush()
  const amount = (n: number) => `${n.toLocaleString('en')} ${n === 1 ? 'hit' : 'hits'}`
  const notes = [
    ...named,
    ...(tally.refused > named.length
      ? [`${amount(tally.refused - named.length)} more could not be read.`]
      : []),
    ...(tally.bots > 0 ? [`${amount(tally.bots)} left out: nobody’s visit.`] : []),
    ...(tally.elsewhere > 0
      ? [`${amount(tally.elsewhere)} left out: their link is not in the archive.`]
      : []),
    ...(tally.beyond > 0
      ? [
          `${amount(tally.beyond)} left out: an archive has at most ${amount(importBounds.hits)}, and 512 MB of them.`,
        ]
      : []),
  ]
  return { hits: writer.hits, notes }
}

/** Rows by the names of the columns that are read. */
async function* recordsOf(content: Readable): AsyncGenerator<Partial<Record<string, string>>> {
  let isDamaged = false
  async function* text() {
    const decoder = new TextDecoder()
    try {
      for await (const chunk of content as AsyncIterable<Buffer>)
        yield decoder.decode(chunk, { stream: true })
    } catch {
      // The parser of the CSV does not hear of it.
      isDamaged = true
    }
  }
  try {
    const { headers, rows } = await readCsv(text()).catch(inClicks)
    const columns = archivedHitColumns.flatMap((name) => {
      const at = headers.indexOf(name)
      return at === -1 ? [] : [[name, at] as const]
    })
    const missing = neededHitColumns.find((name) => !headers.includes(name))
    if (missing !== undefined) throw new TransferError(`clicks.csv has no column ${missing}`)
    for await (const cells of namedRows(rows))
      yield Object.fromEntries(columns.map(([name, at]) => [name, cells[at] ?? '']))
    if (isDamaged) throw damagedArchive()
  } catch (error) {
    // The parser saw only a part of the file.
    throw isDamaged ? damagedArchive() : error
  } finally {
    content.destroy()
  }
}

async function* namedRows(rows: AsyncIterable<string[]>): AsyncGenerator<string[]> {
  try {
    yield* rows
  } catch (error) {
    inClicks(error)
  }
}

const inClicks = replaceError(
  TransferError,
  ({ message }) => new TransferError(`clicks.csv: ${message}`),
)
