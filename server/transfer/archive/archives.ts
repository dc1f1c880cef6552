import { join } from 'node:path'
import type { ShownArchive } from '#domain/transfer/archive-shapes.ts'
import { HttpError } from '../../http/errors.ts'
import { onlyRowAs, queryAs } from '../../postgres/rows.ts'
import { orThrow } from '../../primitives/or-throw.ts'
import { type ArchiveJobDeps, archiveName, startArchiveJob } from './archive-job.ts'
import { createArchiveStore } from './archive-store.ts'

/** The file of an archive, to send. */
interface OpenedArchive {
  bytes: number
  body: ReadableStream<Uint8Array>
  madeAt: Date
}

export type Archives = ReturnType<typeof createArchives>

const worker = { role: 'hoplet_worker' } as const

const noSuchArchive = () => new HttpError(404, 'No such archive')
const gone = (notice: string | null) =>
  new HttpError(410, notice ?? 'This archive is gone. Please make it again.')

const refusals: Record<string, () => HttpError> = {
  busy: () => new HttpError(409, 'An archive is being made. Please wait for its end.'),
  limit: () =>
    new HttpError(429, 'You can make three archives a day. Please try again tomorrow.', {
      'Retry-After': String(secondsUntilTomorrow()),
    }),
  gone: noSuchArchive,
}

/** Quotas begin anew with the day in UTC. */
function secondsUntilTomorrow(): number {
  const now = new Date()
  return Math.ceil((new Date(now).setUTCHours(24, 0, 0, 0) - now.getTime()) / 1_000)
}

const columns = `id, state, case when state = 'making' then progress else 100 end as progress, bytes::float8 as bytes, notice,
  left_out, created_at, made_at, expires_at`

/** Archives of accounts: each is a row of `app.archives`, which any server of the database makes (archive-job.ts). */
export function createArchives(deps: Omit<ArchiveJobDeps, 'store' | 'folder'>) {
  const { config, database } = deps
  const folder = join(config.dataDir, 'archives')
  const store = createArchiveStore(config.media, folder)
  const job = startArchiveJob({ ...deps, store, folder })

  async function rowOf(account: string, id: string) {
    const [found] = await queryAs<ShownArchive & { attempt: number } & Record<string, unknown>>(
      database,
      worker,
      `select ${columns}, attempt from app.archives where id = $1 and user_id = $2`,
      [id, account],
    )
    return orThrow(found, noSuchArchive)
  }

  return {
    /** @returns its id @throws {HttpError} 409 or 429 */
    async start(account: string): Promise<string> {
      const { archive, refusal } = await onlyRowAs<{
        archive: string | null
        refusal: string | null
      }>(database, worker, 'select * from app.start_archive($1)', [account])
      if (archive === null) throw (refusals[refusal ?? ''] ?? noSuchArchive)()
      job.wake()
      return archive
    },
    /** Newest first. */
    list: (account: string) =>
      queryAs<ShownArchive & Record<string, unknown>>(
        database,
        worker,
        `select ${columns} from app.archives where user_id = $1 order by created_at desc limit 50`,
        [account],
      ),
    /** @throws {HttpError} 404 for a foreign one */
    async show(account: string, id: string): Promise<ShownArchive> {
      const { attempt: _attempt, ...shown } = await rowOf(account, id)
      return shown
    },
    /** @throws {HttpError} 404, 409 or 410 */
    async open(account: string, id: string): Promise<OpenedArchive> {
      const row = await rowOf(account, id)
      if (row.state === 'making')
        throw new HttpError(409, 'This archive is being made. Please wait for its end.')
      const isKept = row.state === 'done' && Date.parse(String(row.expires_at)) > Date.now()
      if (!isKept) throw gone(row.notice)
      const file = await store.open(archiveName(id, row.attempt))
      // A restored database has archives without a file.
      return {
        bytes: Number(row.bytes),
        body: orThrow(file, () => gone(null)),
        madeAt: new Date(String(row.made_at)),
      }
    },
    /** Runs the job now. */
    run: job.run,
    close: job.close,
  }
}
