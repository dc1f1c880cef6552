import { csvLines } from '#domain/csv.ts'
import { allHitKinds, askForHits, requireHits } from '../../analytics/asked-hits.ts'
import { cellsOfHit } from '../../analytics/hit-cells.ts'
import type { HitReaders } from '../../analytics/reports/hit-reader.ts'
import { HttpError } from '../../http/errors.ts'
import type { Database } from '../../postgres/database.ts'
import type { ArchivedAccount } from './archive-lists.ts'

/** The parts that an archive is made from. */
export interface ArchiveSource {
  database: Database
  readers: Pick<HitReaders, 'with'>
  readImage: (hash: string) => Promise<Buffer | undefined>
  account: ArchivedAccount
  linksUrl: string
  /** The version of the program. */
  version: string
  /** When the making began. */
  madeAt: Date
  /** Default: the bound of the format. */
  maxBytes?: number | undefined
}

export interface ArchiveStep {
  signal: AbortSignal
  /** In percent. */
  onProgress: (percent: number) => void
}

const pageSize = 1_000
const asked = { scope: 'account' } as const

/** Whether the plan of the account shows clicks. */
export async function showsClicks({ database, account }: ArchiveSource): Promise<boolean> {
  try {
    await requireHits({ database, person: account, asked })
    return true
  } catch (error) {
    if (error instanceof HttpError && error.status === 403) return false
    throw error
  }
}

/** Pages of hits as lines of a CSV, newest first. `onPage` gets the time of the last hit. */
export async function* readArchivedHits(
  { database, readers, account, madeAt: to }: ArchiveSource,
  onPage: (at: number) => void,
): AsyncGenerator<string[]> {
  const source = { database, readers, person: account, asked, mayUseReplica: true }
  const window = { from: new Date(0), to, include: allHitKinds, limit: pageSize }
  for (let before: string | undefined; ;) {
    const hits = await askForHits(source, { ...window, before })
    yield hits.map((hit) => csvLines([cellsOfHit(hit)]))
    const last = hits.at(-1)
    if (!last || hits.length < pageSize) return
    onPage(Date.parse(last.at ?? ''))
    before = last.cursor
  }
}
