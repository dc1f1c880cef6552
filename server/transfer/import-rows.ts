import type { Database } from '../postgres/database.ts'
import { queryAs, valueAs } from '../postgres/rows.ts'
import { importBounds, TransferError } from './transfer-error.ts'

const worker = { role: 'hoplet_worker' } as const
const batchRows = 500
const batchBytes = 512 * 1024
/** A reader that hears nothing for so long has died. */
export const readingSeconds = 120

/** Stores records of an import in batches, in their order, and counts them. */
export class RowWriter {
  readonly #database: Database
  readonly #id: string
  #place: number
  readonly #rowBytes: number
  #batch: string[] = []
  #size = 0
  #allBytes = 0

  /** @param place of the last stored row */
  constructor(
    database: Database,
    id: string,
    { place = 0, rowBytes = importBounds.rowBytes as number } = {},
  ) {
    this.#rowBytes = rowBytes
    this.#database = database
    this.#id = id
    this.#place = place
  }

  /** Rows added so far. */
  get rows(): number {
    return this.#place
  }

  /** @throws {TransferError} beyond the bounds of an import */
  async add(record: unknown): Promise<void> {
    if (this.#place >= importBounds.rows)
      throw new TransferError(
        `An import has at most ${importBounds.rows.toLocaleString('en')} rows. Please divide the file.`,
      )
    const text = JSON.stringify(storable(record))
    this.#place++
    const bytes = Buffer.byteLength(text)
    if (bytes > this.#rowBytes)
      throw new TransferError(
        `Row ${this.#place.toLocaleString('en')} is longer than ${this.#rowBytes / 1_000} kB`,
      )
    this.#allBytes += bytes
    if (this.#allBytes > importBounds.accountBytes)
      throw new TransferError('The rows of an import can have at most 150 MB')
    this.#batch.push(`{"place":${this.#place},"record":${text}}`)
    this.#size += text.length
    if (this.#batch.length >= batchRows || this.#size >= batchBytes) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.#batch.length === 0) return
    const rows = `[${this.#batch.join(',')}]`
    this.#batch = []
    const bytes = this.#size
    this.#size = 0
    // The import may be gone meanwhile: its owner can delete it.
    const [stored] = await queryAs(
      this.#database,
      worker,
      `with import as (update app.imports i set rows = $3, bytes = i.bytes + $4,
          next_at = now() + make_interval(secs => $5)
          where i.id = $1 and i.state = 'reading' and not i.is_complete returning i.id),
        written as (insert into app.import_rows (import_id, place, record)
          select import.id, r.place, r.record from import, jsonb_to_recordset($2) as r (place integer, record jsonb))
      select id from import`,
      [this.#id, rows, this.#place, bytes, readingSeconds],
    )
    if (!stored) throw new TransferError('The import was deleted')
  }
}

/** Columns with addresses of people: nobody needs them here. */
const personal = /^ip(?:[ _-]?address)?$/i

/** Whether a column must not be stored. */
export const isPersonalColumn = (name: string): boolean => personal.test(name.trim())

/** A value without NUL and halves of characters, which a jsonb refuses. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed()
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) =>
      isPersonalColumn(key) ? [] : [[storable(key), storable(each)]],
    ),
  )
}

/** Makes room for another import of an account: old results go first. @returns false while there is none */
export async function makeRoom(database: Database, account: string): Promise<boolean> {
  const bytes = await valueAs<string>(
    database,
    worker,
    `with gone as (delete from app.imports i where i.user_id = $1
        and (i.state in ('failed', 'undone') or (i.state = 'done' and i.ended_at < now() - interval '1 day')
          or (i.state = 'ready' and i.created_at < now() - interval '1 day')) returning i.id)
    select coalesce(sum(i.bytes), 0) from app.imports i where i.user_id = $1 and i.id not in (select id from gone)`,
    [account],
  )
  return Number(bytes ?? 0) < importBounds.accountBytes
}
