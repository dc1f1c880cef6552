import pg from 'pg'
import type { TestServer } from '#test/server.ts'

/** One attempt inside a transaction: the statement, and on whose behalf. */
export interface Attempt {
  userId: string
  /** Beside `sub` and `role`: the `session_id`, for what needs a recent sign-in. */
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
 * been sent and had time to run: a limit that holds only between commits breaks here and nowhere else.
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
    allSent: Promise<void>,
  ): Promise<Ending> {
    const claims = JSON.stringify({ ...more, sub: userId, role: 'authenticated' })
    await client.query('begin')
    await client.query(
      `select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)`,
      [claims],
    )
    try {
      await client.query(text, values ?? [])
      await allSent
      await client.query('commit')
      return { code: 'ok', message: '' }
    } catch (error) {
      await client.query('rollback')
      if (!(error instanceof pg.DatabaseError)) throw error
      return { code: error.code ?? '', message: error.message }
    }
  }

  return {
    /** Runs all attempts at once, one connection each. */
    race(attempts: Attempt[]): Promise<Ending[]> {
      const allSent = new Promise<void>((resolve) => setTimeout(resolve, 30))
      return Promise.all(
        attempts.map((one, index) => {
          const client = clients[index]
          if (!client) throw new Error('more attempts than connections')
          return attempt(client, one, allSent)
        }),
      )
    },
    close: () => Promise.all(clients.map((client) => client.end())),
  }
}

export function count<T>(items: T[], is: (item: T) => boolean): number {
  return items.filter(is).length
}
