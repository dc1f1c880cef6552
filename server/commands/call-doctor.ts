import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { examine } from '../doctor/doctor.ts'
import type { Finding } from '../doctor/finding.ts'
import type { Logger } from '../log.ts'
import { loadKeys } from '../tokens/keys.ts'
import { withDatabase } from './with-database.ts'

const marks = { ok: '✓', warning: '!', problem: '✗' } as const

/**
 * Examines the deployment that the settings describe: machine, database, servers, address, mail, payments, storage, AI.
 *
 * @param args none
 * @returns the report
 * @throws {Error} with the report, when it has problems
 */
export async function callDoctor(args: string[], config: Config, log: Logger): Promise<string> {
  if (args.length > 0) throw new Error('Usage: npm run doctor')
  // Made here, they could belong to another user than the server's.
  if (!config.signingKey && !existsSync(join(config.dataDir, 'keys.json')))
    throw new Error(`There are no keys in ${config.dataDir}. Start Hoplet first, or set DATA_DIR.`)
  const keys = await loadKeys(config.dataDir, config.signingKey)
  const found = await withDatabase(config, log, (database) =>
    examine({ config, log, database, keys }),
  )
  const report = write(found)
  if ([...found.values()].flat().some(({ level }) => level === 'problem')) throw new Error(report)
  return report
}

function write(found: ReadonlyMap<string, Finding[]>): string {
  const lines = [...found].flatMap(([part, findings]) => [
    '',
    part,
    ...findings.map(({ level, text }) => `  ${marks[level]} ${text}`),
  ])
  const all = [...found.values()].flat()
  const countOf = (wanted: Finding['level']) => all.filter(({ level }) => level === wanted).length
  return [...lines, '', `${countOf('problem')} problems, ${countOf('warning')} warnings`].join('\n')
}
