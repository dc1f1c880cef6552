import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../log.ts'
import { type Database, DatabaseUnavailableError, type Transaction } from '../postgres/database.ts'
import { applyClicks } from './apply-clicks.ts'
import { type Decoded, decodeClicks } from './click-record.ts'
import { type Journal, journalCap, type Segment } from './journal.ts'

export interface Applier {
  /** Applies soon instead of at the next tick. */
  nudge(): void
  status(): { applied: number; orphaned: number; corrupt: number }
  /** Applies all that is there, for at most `milliseconds`; what the database does not take stays in the journal. */
  close(milliseconds: number): Promise<void>
}

interface Parts {
  journal: Journal
  database: Database
  log: Logger
}

const every = 250
const slowestRetry = 2_000
const readSize = 1024 ** 2
/** While the event loop is busier than this, visitors come first: after each batch the database gets a rest. */
const busy = 0.4
/** Of what the batch took, and at most so many milliseconds: a slow database must not be waited for twice. */
const rest = 2
const longestRest = 1_000
/** More than this waits for nobody: about 20 s of all that one process can answer. */
const mostWaiting = 64 * 1024 ** 2
const mostAtOnce = 5_000
/** Longer than the step from one backup to the next: a database restored from one gets its clicks again. */
const keepAppliedFor = 48 * 60 * 60 * 1000
const tidyEvery = 10 * 60 * 1000
/** Beyond this, applied segments make room before their time. */
const crowded = journalCap * 0.75

/**
 * Carries the journal into the database. The mark of a segment moves in the transaction that applies its records, and
 * only from where we think it stands: so each record counts once, whatever crashes in between.
 */
export function startApplier({ journal, database, log }: Parts): Applier {
  const totals = { applied: 0, orphaned: 0, corrupt: 0 }
  const buffer = Buffer.allocUnsafe(readSize)
  let most = mostAtOnce
  let pause = every
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<boolean> | undefined

  const asVisits = <T>(work: (db: Transaction) => Promise<T>) =>
    database.transactionAs({ role: 'hoplet_visits', statementTimeout: 10_000 }, work)

  const applyNext = async (segment: Segment, from: number): Promise<void> => {
    const length = journal.read(segment, from, buffer)
    const isEnd = from + length >= segment.size || length === 0
    const decoded: Decoded = decodeClicks(buffer.subarray(0, length), most, isEnd)
    const to = length === 0 ? segment.size : from + decoded.end
    try {
      const applied = await asVisits(async (db) => {
        if (!(await moveMark(db, segment.id, from, to))) return undefined
        return applyClicks(db, decoded.clicks)
      })
      if (applied === undefined) {
        // Applied before (the answer to a commit was lost), or the database is an older one: its mark decides.
        segment.applied = await asVisits((db) => readMark(db, segment.id))
        return
      }
      segment.applied = to
      totals.applied += applied.counted
      totals.orphaned += applied.orphaned
      totals.corrupt += decoded.corrupt
      most = mostAtOnce
    } catch (error) {
      if (!isRefusedData(error)) throw error
      // One record that the database will not have must not hold up the others: find it, then skip it.
      if (most > 1) {
        most = 1
        return
      }
      log.error(
        { err: error, segment: segment.id, at: from },
        'a click was refused by the database and skipped',
      )
      await asVisits((db) => moveMark(db, segment.id, from, to))
      segment.applied = to
      totals.corrupt++
    }
  }

  const waiting = () =>
    journal.segments().reduce((sum, { size, applied }) => sum + size - (applied ?? 0), 0)

  /** Counting may wait, visitors may not: database and load often share the cores. */
  const startOfRest = () => {
    const before = performance.eventLoopUtilization()
    const startedAt = performance.now()
    return async () => {
      const { utilization } = performance.eventLoopUtilization(before)
      if (closed || utilization < busy || waiting() > mostWaiting) return
      await sleep(Math.min(longestRest, (performance.now() - startedAt) * rest))
    }
  }

  /** True when the journal is applied to its end. */
  const applyAll = async (): Promise<boolean> => {
    try {
      for (const segment of journal.segments()) {
        segment.applied ??= await asVisits((db) => readMark(db, segment.id))
        while (segment.applied < segment.size) {
          const rested = startOfRest()
          await applyNext(segment, segment.applied)
          await rested()
        }
      }
      if (pause !== every) log.info('clicks are being applied again')
      pause = every
      if (journal.bytes() > crowded) await removeOld(journal, asVisits)
      return true
    } catch (error) {
      if (pause === every) log.warn({ err: error }, 'clicks wait in the journal')
      if (!(error instanceof DatabaseUnavailableError))
        log.error({ err: error }, 'applying clicks failed')
      pause = Math.min(pause * 2, slowestRetry)
      return false
    }
  }

  const run = (): Promise<boolean> => {
    clearTimeout(timer)
    running ??= applyAll().finally(() => {
      running = undefined
      if (!closed) timer = setTimeout(() => void run(), pause)
    })
    return running
  }
  const tidier = setInterval(() => {
    removeOld(journal, asVisits).catch((error: unknown) =>
      log.warn({ err: error }, 'old click segments could not be removed'),
    )
  }, tidyEvery)
  tidier.unref()
  void run()

  return {
    nudge() {
      if (!running && !closed && pause === every) void run()
    },
    status: () => ({ ...totals }),
    async close(milliseconds) {
      closed = true
      clearInterval(tidier)
      clearTimeout(timer)
      // Twice: what is running may have looked at the journal before its last record came.
      const drained = (async () => (await running, await applyAll()))()
      await Promise.race([
        drained,
        new Promise((resolve) => setTimeout(resolve, milliseconds).unref()),
      ])
    },
  }
}

/** Compare and set. False: the mark stands elsewhere, so this stretch was applied before or is not next. */
async function moveMark(db: Transaction, id: string, from: number, to: number): Promise<boolean> {
  const moved = await db.query(
    from === 0
      ? `insert into app.click_segments as mark (segment_id, applied_bytes) values ($1, $3)
          on conflict (segment_id) do update set applied_bytes = $3, updated_at = now() where mark.applied_bytes = $2`
      : 'update app.click_segments set applied_bytes = $3, updated_at = now() where segment_id = $1 and applied_bytes = $2',
    [id, from, to],
  )
  return moved.rowCount === 1
}

async function readMark(db: Transaction, id: string): Promise<number> {
  const { rows } = await db.query<{ applied_bytes: string }>(
    'select applied_bytes from app.click_segments where segment_id = $1',
    [id],
  )
  return Number(rows[0]?.applied_bytes ?? 0)
}

/** Applied segments go after two days: first the file, then its mark, so that nothing is ever applied twice. */
async function removeOld(
  journal: Journal,
  asVisits: <T>(work: (db: Transaction) => Promise<T>) => Promise<T>,
): Promise<void> {
  for (const segment of journal.segments()) {
    const isApplied =
      segment.closed && segment.applied !== undefined && segment.applied >= segment.size
    if (!isApplied || isKept(segment, journal)) continue
    journal.remove(segment)
    await asVisits((db) =>
      db.query('delete from app.click_segments where segment_id = $1', [segment.id]),
    )
  }
}

function isKept({ writtenAt }: Segment, journal: Journal): boolean {
  return Date.now() - writtenAt < keepAppliedFor && journal.bytes() <= crowded
}

/** Classes 22 and 23 of SQLSTATE: the values themselves are not accepted, so trying again is useless. */
function isRefusedData(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code))
}
