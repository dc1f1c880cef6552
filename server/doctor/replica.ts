import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../postgres/database.ts'
import { checkReadUrl } from '../postgres/read-url-check.ts'
import { readServerState } from '../postgres/replica-state.ts'
import { type DoctorDeps, type Finding, ok, problem, reasonOf, warning } from './finding.ts'

const caller = { role: 'hoplet_visits', readOnly: true, statementTimeout: 2_000 } as const
const maxWaitMs = 5_000
const pollMs = 20

/** DATABASE_READ_URL: whether it leads to a replica of the database, and how long that takes to have a change. */
export async function checkReplica(deps: DoctorDeps): Promise<Finding[]> {
  const { config, log } = deps
  const { databaseUrl, databaseReadUrl: readUrl } = config
  if (readUrl === undefined || databaseUrl === undefined) return []
  const problems = await checkReadUrl({ databaseUrl, readUrl }, log)
  if (problems.length > 0) return problems.map((text) => problem(`${text}.`))
  const replica = openDatabase(readUrl, log, { doors: 1, visits: 1 })
  try {
    return [await measureLag({ ...deps, replica })]
  } catch (error) {
    return [
      warning(
        `The replica does not answer (${reasonOf(error)}). The primary has its reads; start it, or correct DATABASE_READ_URL.`,
      ),
    ]
  } finally {
    await replica.close()
  }
}

async function measureLag({
  database,
  replica,
}: DoctorDeps & { replica: DoctorDeps['database'] }): Promise<Finding> {
  const { position: wanted } = await database.transactionAs(caller, readServerState)
  const startedAt = performance.now()
  for (;;) {
    const { position } = await replica.transactionAs(caller, readServerState)
    const waitedMs = Math.round(performance.now() - startedAt)
    if (wanted === undefined || position === undefined)
      return warning(
        'The server of DATABASE_READ_URL does not tell what it has replayed, so it is not used. Remove the line.',
      )
    if (position >= wanted) return ok(`The replica had all changes within ${waitedMs} ms.`)
    if (waitedMs > maxWaitMs)
      return warning(
        'The replica is more than 5 s behind, so it is not used. Look at pg_stat_replication on the primary.',
      )
    await sleep(pollMs)
  }
}
