import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import { type DueDestination, createCheckQueue } from './check-queue.ts'
import type { HostTurns } from './host-turns.ts'
import { nextFinding } from './next-finding.ts'
import { type DestinationReader, reachDestination } from './reach-destination.ts'

/** Destinations that are checked at once. */
const lanes = 16
/** Maximum accounts with destinations in memory. */
const maxAccounts = 20
/** Destinations of an account in memory; those beyond wait for the next round. */
const perRound = 50
const caller = { role: 'hoplet_worker', statementTimeout: 60_000 } as const
const noAccount = '00000000-0000-0000-0000-000000000000'

export interface LinkCheckTiming {
  /** For each request. */
  timeoutMs: number
  /** Between two requests to a host. */
  hostIntervalMs: number
}

export interface CheckPassDeps extends Pick<
  DestinationReader,
  'getPublic' | 'userAgent' | 'ownHosts'
> {
  database: Database
  timing: LinkCheckTiming
  turns: HostTurns
  /** Set when an owner asked for a check. */
  asked: { waits: boolean }
  signal: AbortSignal
}

/** Makes the checks that owners asked for, and in a pass all due ones, in rounds: each takes up to 50 destinations of each account. */
export async function runChecks(deps: CheckPassDeps, isPass: boolean): Promise<void> {
  const { database, timing, turns, asked, signal } = deps
  const queue = createCheckQueue()
  const rounds = isPass ? createRounds(database) : undefined
  const reader = { ...deps, timeoutMs: timing.timeoutMs, takeTurn: turns.take }
  const running = new Set<Promise<unknown>>()
  let failure: unknown
  asked.waits = true
  for (;;) {
    signal.throwIfAborted()
    if (failure !== undefined) throw failure
    if (asked.waits) {
      asked.waits = false
      queue.addAsked(await readAsked(database))
    }
    while (queue.accounts() < maxAccounts && rounds?.isOver() === false) {
      const { userId, due } = await rounds.next()
      queue.add(userId, due)
    }
    const found = running.size < lanes ? queue.next(turns.isFree) : undefined
    if (found) {
      const { due, done } = found
      const check = checkOne(due, reader, database).catch((error: unknown) => (failure ??= error))
      const ended = check.finally(() => {
        done()
        running.delete(ended)
      })
      running.add(ended)
    } else if (queue.isEmpty() && running.size === 0 && !asked.waits) return
    else await waitForAny(running, timing.hostIntervalMs / 10, signal)
  }
}

/** Ends early when the signal is aborted: requests in progress then end by themselves, unheard. */
async function waitForAny(work: Iterable<Promise<unknown>>, ms: number, signal: AbortSignal) {
  await Promise.race([...work, sleep(ms, undefined, { signal }).catch(() => {})])
}

async function checkOne(
  due: DueDestination,
  reader: DestinationReader,
  database: Database,
): Promise<void> {
  const reached = await reachDestination(due.url, reader)
  const { finding, reason, since, newUrl } = nextFinding(due, reached, new Date())
  await queryAs(database, caller, 'select app.save_destination_check($1, $2, $3, $4, $5, $6)', [
    due.userId,
    due.url,
    finding,
    reason,
    since,
    newUrl,
  ])
}

async function readAsked(database: Database): Promise<DueDestination[]> {
  return queryAs<DueDestination & Record<string, unknown>>(
    database,
    caller,
    'select user_id as "userId", url, finding, since from app.asked_destinations(50)',
  )
}

/** Goes over all accounts, again and again until none has more than a round takes. */
function createRounds(database: Database) {
  let after = noAccount
  let accounts: string[] = []
  let isLast = true
  let isOver = false

  const readAccounts = async () => {
    const rows = await queryAs<{ id: string }>(
      database,
      caller,
      'select id from app.accounts_to_check($1, $2) id',
      [after, maxAccounts],
    )
    return rows.map(({ id }) => id)
  }
  return {
    isOver: () => isOver,
    async next(): Promise<{ userId: string; due: DueDestination[] }> {
      if (accounts.length === 0) accounts = await readAccounts()
      const userId = accounts.shift()
      if (userId === undefined) {
        isOver = isLast
        after = noAccount
        isLast = true
        return { userId: noAccount, due: [] }
      }
      after = userId
      const due = await queryAs<DueDestination & Record<string, unknown>>(
        database,
        caller,
        'select $1::uuid as "userId", url, finding, since from app.due_destinations($1, $2)',
        [userId, perRound],
      )
      if (due.length === perRound) isLast = false
      return { userId, due }
    },
  }
}
