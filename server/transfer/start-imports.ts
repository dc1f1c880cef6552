import { HttpError } from '../http/errors.ts'
import { onlyRowAs, queryAs } from '../postgres/rows.ts'
import { replaceErrorWhen } from '../primitives/caught-error.ts'
import { isUniqueViolation } from '../primitives/error-code.ts'
import { type ImportJobDeps, importIsAtWork } from './import-at-work.ts'
import { HitWriter } from './import-hits.ts'
import { makeRoom, readingSeconds, RowWriter } from './import-rows.ts'
import { accessContext, type SourceAccessState } from './read-source.ts'
import { isRefusedImage, readAccountArchive, type StoreImage } from './read-archive.ts'
import { type FileContent, readFile } from './read-file.ts'
import type { ReceivedFile } from './receive-file.ts'
import { importBounds, TransferError } from './transfer-error.ts'

const worker = { role: 'hoplet_worker' } as const

const noRoom = () =>
  new HttpError(
    409,
    'Your imports hold as many rows as an account can have. Please delete one first.',
  )

/** Stores images of an archive within the limits of uploads; a refused one is left out. */
function storeImageOf(media: ImportJobDeps['media'], account: string): StoreImage {
  return async (bytes) => {
    try {
      return await media.saveUpload(account, bytes)
    } catch (error) {
      if (isRefusedImage(error)) return undefined
      throw error
    }
  }
}

function readArchive({ path }: ReceivedFile, storeImage: StoreImage, hits: HitWriter): FileContent {
  return { source: 'archive', records: readAccountArchive(path, storeImage, hits) }
}

/** Stores all records of an import. @throws {TransferError} without any */
async function storeRecords(
  database: ImportJobDeps['database'],
  id: string,
  records: AsyncIterable<unknown> | Iterable<unknown>,
  rowBytes: number = importBounds.rowBytes,
): Promise<void> {
  const writer = new RowWriter(database, id, { rowBytes })
  for await (const record of records) await writer.add(record)
  await writer.flush()
  if (writer.rows === 0) throw new TransferError('The file has no rows')
}

/** The starts of imports: from a file, rows, or a service. */
export function createStarts({ database, secretBox, media }: ImportJobDeps, wake: () => void) {
  async function begin(account: string, source: string, name: string): Promise<string> {
    if (!(await makeRoom(database, account))) throw noRoom()
    const { id } = await onlyRowAs<{ id: string }>(
      database,
      worker,
      `insert into app.imports (user_id, source, name, state, next_at)
        values ($1, $2, $3, 'reading', now() + make_interval(secs => $4)) returning id`,
      [account, source, name.replaceAll(/\p{Cc}/gu, ' ').slice(0, 200), readingSeconds],
    ).catch(replaceErrorWhen(isUniqueViolation, importIsAtWork))
    return id
  }

  async function remove(account: string, id: string): Promise<boolean> {
    const gone = await queryAs(
      database,
      { ...worker, statementTimeout: 60_000 },
      'delete from app.imports where id = $1 and user_id = $2 returning id',
      [id, account],
    )
    return gone.length > 0
  }

  /** Runs the reading of a new import; a failure deletes it. @throws {HttpError} 422 */
  async function reading(account: string, id: string, read: () => Promise<void>): Promise<string> {
    try {
      await read()
    } catch (error) {
      await remove(account, id)
      if (error instanceof TransferError) throw new HttpError(422, error.message)
      throw error
    }
    wake()
    return id
  }

  return {
    /** Reads a file into rows. The dry run follows, or the person maps columns of an unknown one. @returns its id */
    async startFile(account: string, file: ReceivedFile): Promise<string> {
      const id = await begin(account, '', file.name)
      return reading(account, id, async () => {
        const { source, headers, records } = file.isZip
          ? readArchive(file, storeImageOf(media, account), new HitWriter(database, id))
          : await readFile(file)
        const { rowBytes, archiveRowBytes } = importBounds
        await storeRecords(database, id, records, file.isZip ? archiveRowBytes : rowBytes)
        await queryAs(
          database,
          worker,
          `update app.imports set source = $2, headers = $3, is_complete = true, next_at = now(),
            state = case when $2 = '' then 'ready' else 'reading' end where id = $1`,
          [id, source, headers ?? null],
        )
      })
    },

    /** The same for rows in our own columns. */
    async startRows(account: string, rows: readonly unknown[]): Promise<string> {
      const id = await begin(account, 'hoplet', 'Rows')
      return reading(account, id, async () => {
        await storeRecords(database, id, rows)
        await queryAs(
          database,
          worker,
          'update app.imports set is_complete = true, next_at = now() where id = $1',
          [id],
        )
      })
    },

    /** Begins to read a service; the token is sealed until everything was read. @returns the id */
    async startSource(
      account: string,
      source: string,
      { origin, token }: Pick<SourceAccessState, 'origin' | 'token'>,
    ): Promise<string> {
      const id = await begin(
        account,
        source,
        new URL(/^https?:/i.test(origin) ? origin : `https://${origin}`).host,
      )
      const state: SourceAccessState = { origin, token, rows: 0 }
      await queryAs(
        database,
        worker,
        'update app.imports set access = $2, next_at = now() where id = $1',
        [id, secretBox.seal(JSON.stringify(state), accessContext(id))],
      )
      wake()
      return id
    },
  }
}
