import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import { worker } from './worker.ts'

const leaseSeconds = 60
const prolongMs = 15_000
const retryMs = 1_000

interface LeaseOptions {
  /** `move`: copies hits. `pause`: compares the stores while nothing is delivered or deleted. */
  name: 'move' | 'pause'
  /** How long to wait for another holder. One that was killed has it for a minute. */
  waitMs: number
  /** Told once, when there is something to wait for. */
  onWait?: () => void
}

/**
 * Does what only one process may do at a time.
 *
 * @param work gets a signal that is aborted when the lease is lost: PostgreSQL was away for a minute
 * @throws {Error} when another process has the lease for longer than `waitMs`, or it was lost before the end
 */
export async function withLease<Result>(
  database: Database,
  options: LeaseOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const holder = await takeLease(database, options)
  const lost = new AbortController()
  const prolong = async () => {
    const [row] = await queryAs<{ held: boolean }>(
      database,
      worker,
      'select app.prolong_click_store_lease($1, $2) as held',
      [holder, leaseSeconds],
    )
    if (!row?.held) lost.abort(new Error('PostgreSQL was away for too long. Run this again.'))
  }
  // The next one tells whether it is lost.
  const timer = setInterval(() => void prolong().catch(() => undefined), prolongMs)
  try {
    const result = await work(lost.signal)
    await prolong()
    lost.signal.throwIfAborted()
    return result
  } finally {
    clearInterval(timer)
    // If this fails, it ends by itself.
    await queryAs(database, worker, 'select app.end_click_store_lease($1)', [holder]).catch(
      () => undefined,
    )
  }
}

async function takeLease(
  database: Database,
  { name, waitMs, onWait }: LeaseOptions,
): Promise<string> {
  const until = performance.now() + waitMs
  for (let attempt = 0; ; attempt++) {
    const [row] = await queryAs<{ holder: string | null }>(
      database,
      worker,
      'select app.take_click_store_lease($1, $2) as holder',
      [name, leaseSeconds],
    )
    if (row?.holder) return row.holder
    if (performance.now() >= until)
      throw new Error(
        name === 'move'
          ? 'Another `npm run move-clicks` is at work. Run this one again when it has ended.'
          : 'Another process compares ClickHouse with PostgreSQL.',
      )
    if (attempt === 0) onWait?.()
    await sleep(retryMs)
  }
}
