import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { LeaseHeldError, withLease } from '../../postgres/leases.ts'
import { queryAs, valueAs } from '../../postgres/rows.ts'
import type { Jobs, PeriodicJob } from '../../primitives/jobs.ts'
import { skipFailed } from '../skip-failed.ts'

interface MovesDeps {
  database: Database
  log: Logger
  jobs: Jobs
  /** Does a step of a move in ClickHouse. Undefined without it. */
  inClickHouse: ((move: string) => Promise<StepResult>) | undefined
}

/** `waits`: nothing can be done now. */
export type StepResult = 'more' | 'done' | 'waits'

const intervalMs = 2_000
const leaseSeconds = 60
/** Hits of one step in PostgreSQL: well under a second. */
const stepHits = 5_000
const caller = { role: 'hoplet_worker', statementTimeout: 30_000 } as const

/**
 * Lets the hits of moved links follow them (database/code/31_link_moves.sql), in steps: one process of all servers at a time does so, and
 * one that was killed is followed by another within a minute.
 */
export function startMoves({ database, log, jobs, inClickHouse }: MovesDeps): PeriodicJob {
  const closing = new AbortController()
  const openMoves = async () =>
    (
      await queryAs<{ id: string }>(
        database,
        { ...caller, readOnly: true },
        'select id from app.open_link_moves() id',
      )
    ).map(({ id }) => id)

  const step = async (move: string): Promise<StepResult> => {
    const result = await valueAs<string | null>(database, caller, 'select app.move_hits($1, $2)', [
      move,
      stepHits,
    ])
    if (result === 'more' || result === 'done') return result
    return result === 'clickhouse' && inClickHouse ? inClickHouse(move) : 'waits'
  }

  /** A step of each in turn, so that a large one keeps no other waiting. */
  const stepAll = async (signal: AbortSignal) => {
    let open = await openMoves()
    while (open.length > 0) {
      const more = []
      for (const move of open) {
        if (signal.aborted) return
        const result = await step(move).catch(
          skipFailed(log, { move }, 'hits could not follow their links'),
        )
        if (result === 'more') more.push(move)
        if (result === 'done') log.info({ move }, 'all hits have followed their links')
      }
      open = more
    }
  }

  const job = jobs.add('hits of moved links', { everyMs: intervalMs }, async () => {
    await queryAs(database, caller, 'select app.end_held_places()')
    if ((await openMoves()).length === 0) return
    const lease = { name: 'link-moves', role: 'hoplet_worker', seconds: leaseSeconds } as const
    try {
      await withLease(database, lease, (lost) => stepAll(AbortSignal.any([closing.signal, lost])))
    } catch (error) {
      if (!(error instanceof LeaseHeldError)) throw error
    }
  })
  return {
    run: job.run,
    async close() {
      closing.abort()
      await job.close()
    },
  }
}
