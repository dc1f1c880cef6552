import { withDeadline } from '../primitives/deadline.ts'
import { checkAddress } from './address.ts'
import { checkClickLog } from './click-stream.ts'
import { examineClickHouse } from './clickhouse.ts'
import { checkDatabase } from './database.ts'
import { checkDomains } from './domains.ts'
import { type DoctorDeps, type Finding, problem, reasonOf } from './finding.ts'
import { checkMachine } from './machine.ts'
import { checkServers } from './servers.ts'
import { checkSettings } from './settings.ts'
import { checkAi, checkBackups, checkMail, checkPayments, checkStorage } from './services.ts'

/** The checks, in the order of the report. */
const checks: Record<string, (deps: DoctorDeps) => Promise<Finding[]>> = {
  Settings: checkSettings,
  Machine: checkMachine,
  Database: checkDatabase,
  Clicks: async (deps) => [...(await checkClickLog(deps)), ...(await examineClickHouse(deps))],
  Servers: checkServers,
  Address: checkAddress,
  Domains: checkDomains,
  Mail: checkMail,
  Payments: checkPayments,
  Storage: checkStorage,
  Backups: checkBackups,
  AI: checkAi,
}

const checkTimeoutMs = 30_000

/** Examines a deployment: each part on its own, so that a broken one hides none of the others. Changes nothing that lasts. */
export async function examine(deps: DoctorDeps): Promise<Map<string, Finding[]>> {
  const found = Object.entries(checks).map(async ([part, check]): Promise<[string, Finding[]]> => [
    part,
    await withDeadline(checkTimeoutMs, () => check(deps)).catch((error: unknown) => [
      problem(`Check failed: ${reasonOf(error)}.`),
    ]),
  ])
  return new Map(await Promise.all(found))
}
