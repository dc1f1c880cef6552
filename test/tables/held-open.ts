import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { TestServer } from '#test/server.ts'

/** One attempt inside a transaction: the statement, and its caller. */
export interface Attempt {
  userId: string
  /** Beside `sub` and `role`: the `session_id`, for calls that need a recent sign-in. */
  claims?: Record<string, unknown>
  text: string
  values?: unknown[]
}

/** How an attempt ended: 'ok' after its commit, else the SQLSTATE and message it was refused with. */
export interface Ending {
  code: string
  message: string
}

/**
 * Connections that act as people do through the door, but keep each transaction open until every other attempt has
 * been answered or waits for it: a limit that holds only between commits breaks here and nowhere else.
 */
export async function openClients(server: TestServer, count: number) {
  const clients = Array.from(
    { length: count },
    () => new pg.Client({ connectionString: server.databaseUrl }),
  )
  await Promise.all(clients.map((client) => client.connect()))

  async function attempt(
    client: pg.Client,
    { userId, claims: more, text, values }: Attempt,
    held: { answered(): void; allSent: Promise<void> },
  ): Promise<Ending> {
    const claims = JSON.stringify({ ...more, sub: userId, role: 'authenticated' })
    await client.query('begin')
    await client.query(
      `select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)`,
      [claims],
    )
    try {
      await client.query(text, values ?? []).finally(held.answered)
      await held.allSent
      await client.query('commit')
      return { code: 'ok', message: '' }
    } catch (error) {
      await client.query('rollback')
      if (!(error instanceof pg.DatabaseError)) throw error
      return { code: error.code ?? '', message: error.message }
    }
  }

  /** How many wait for a lock of another one. */
  async function blocked(): Promise<number> {
    const [row] = await server.sql<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
        where datname = $1 and usename = 'hoplet_login' and wait_event_type = 'Lock'`,
      [new URL(server.databaseUrl).pathname.slice(1)],
    )
    return row?.count ?? 0
  }

  return {
    /** Runs all attempts at once, one connection each. */
    race(attempts: Attempt[]): Promise<Ending[]> {
      let answers = 0
      const answered = () => void answers++
      const allSent = (async () => {
        while (answers < attempts.length && answers + (await blocked()) < attempts.length)
          await sleep(5)
      })()
      return Promise.all(
        attempts.map((one, index) => {
          const client = clients[index]
          if (!client) throw new Error('more attempts than connections')
          return attempt(client, one, { answered, allSent })
        }),
      )
    },
    close: () => Promise.all(clients.map((client) => client.end())),
  }
}

export function count<T>(items: T[], is: (item: T) => boolean): number {
  return items.filter(is).length
}
