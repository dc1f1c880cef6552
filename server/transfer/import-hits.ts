import type { ArchivedHit } from '#domain/transfer/archived-hit.ts'
import { hitSources } from '../analytics/hits/verdicts.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import { readingSeconds } from './import-rows.ts'
import { importBounds, TransferError } from './transfer-error.ts'

/** One transaction of the job writes them. */
const batchHits = 2_000

/** The distinct rows of a batch, numbered from 1; 0 is one of which nothing is known. */
class NumberedRows {
  readonly #numbers = new Map<string, number>()
  readonly numbers: number[] = []

  add(texts: readonly string[]): void {
    const row = JSON.stringify(texts)
    const number = texts.every((text) => text === '')
      ? 0
      : (this.#numbers.get(row) ?? this.#numbers.size + 1)
    if (number > 0) this.#numbers.set(row, number)
    this.numbers.push(number)
  }

  get rows(): string {
    return `[${[...this.#numbers.keys()].join()}]`
  }
}

interface Batch {
  /** Times, numbers in the file, places of their targets, and letters of their sources. */
  times: number[]
  numbers: number[]
  targets: string[]
  sources: string[]
  origins: NumberedRows
  places: NumberedRows
  clients: NumberedRows
}

const emptyBatch = (): Batch => ({
  times: [],
  numbers: [],
  targets: [],
  sources: [],
  origins: new NumberedRows(),
  places: new NumberedRows(),
  clients: new NumberedRows(),
})

/** Stores hits of an archive beside the rows of its import, in batches (`app.import_hits`). */
export class HitWriter {
  readonly #database: Database
  readonly #id: string
  #batch = emptyBatch()
  #place = 0
  #bytes = 0
  #hits = 0

  constructor(database: Database, id: string) {
    this.#database = database
    this.#id = id
  }

  /** Hits added so far. */
  get hits(): number {
    return this.#hits
  }

  /** Whether the import takes more. */
  get hasRoom(): boolean {
    return this.#hits < importBounds.hits && this.#bytes < importBounds.hitBytes
  }

  /** @param target place of its link among the rows of the import; see `app.import_hits` */
  async add(
    { at, source, origin, mark, place, client }: ArchivedHit,
    target: string,
  ): Promise<void> {
    const batch = this.#batch
    this.#hits++
    batch.times.push(at)
    // A number instead of a visitor: samples take one hit in so many, and rows that are alike have an order.
    batch.numbers.push(this.#hits)
    batch.targets.push(target)
    batch.sources.push(hitSources[source])
    batch.origins.add([...origin, mark === '' ? '' : `${target}/${mark}`])
    batch.places.add(place)
    batch.clients.add(client)
    if (batch.times.length >= batchHits) await this.flush()
  }

  async flush(): Promise<void> {
    const { times, numbers, targets, sources, origins, places, clients } = this.#batch
    if (times.length === 0) return
    this.#batch = emptyBatch()
    const columns = [
      times,
      numbers,
      targets,
      origins.numbers,
      places.numbers,
      clients.numbers,
      sources,
    ].map((column) => column.join('\n'))
    const rows = [origins.rows, places.rows, clients.rows]
    const bytes = [...columns, ...rows].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    this.#bytes += bytes
    this.#place++
    // The import may be gone meanwhile: its owner can delete it.
    const [stored] = await queryAs(
      this.#database,
      { role: 'hoplet_worker' },
      `with import as (update app.imports i set hits = i.hits + $3, bytes = i.bytes + $4,
          next_at = now() + make_interval(secs => $5)
          where i.id = $1 and i.state = 'reading' and not i.is_complete returning i.id),
        written as (insert into app.import_hits (import_id, place, hits, bytes, columns, origins, places, clients)
          select import.id, $2, $3, $4, $6, $7, $8, $9 from import)
      select id from import`,
      [this.#id, this.#place, times.length, bytes, readingSeconds, columns, ...rows],
    )
    if (!stored) throw new TransferError('The import was deleted')
  }
}
