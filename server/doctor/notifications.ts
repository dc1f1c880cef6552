import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPlainClient } from '../postgres/client.ts'
import { queryAs } from '../postgres/rows.ts'
import { type DoctorDeps, type Finding, ok, problem, reasonOf } from './finding.ts'

const timeoutMs = 3_000

/** Whether a server hears of changes: through a pooler in transaction mode LISTEN works, and nothing arrives. */
export async function checkNotifications({
  config,
  database,
}: Pick<DoctorDeps, 'config' | 'database'>): Promise<Finding> {
  const url = config.databaseListenUrl ?? config.databaseUrl
  if (url === undefined) return ok('Notifications are those of the included PostgreSQL.')
  const name = config.databaseListenUrl === undefined ? 'DATABASE_URL' : 'DATABASE_LISTEN_URL'
  const client = createPlainClient(url, 'doctor', { connectTimeoutMs: timeoutMs })
  const payload = `doctor:${randomUUID()}`
  try {
    await client.connect()
    const heard = new Promise<true>((resolve) => {
      client.on('notification', (message) => message.payload === payload && resolve(true))
    })
    await client.query('listen hoplet_doctor')
    const caller = { role: 'hoplet_worker' } as const
    await queryAs(database, caller, `select pg_notify('hoplet_doctor', $1)`, [payload])
    if (await Promise.race([heard, sleep(timeoutMs, false)]))
      return ok(`Notifications arrive at ${name}.`)
    return problem(
      `Notifications do not arrive at ${name}, so edits of links take seconds to show. If it is a pooler in transaction mode, or another database, set DATABASE_LISTEN_URL to the database itself.`,
    )
  } catch (error) {
    return problem(`${name} cannot listen for changes: ${reasonOf(error)}.`)
  } finally {
    await client.end().catch(() => {})
  }
}
