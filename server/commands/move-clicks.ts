import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { withDatabase } from './with-database.ts'
import { orThrow } from '../primitives/or-throw.ts'

const usage = `Usage: npm run move-clicks                (copies the clicks to ClickHouse and compares; can be repeated)
       npm run move-clicks -- --finish    (ClickHouse alone has them from now on; deletes them in PostgreSQL)
       npm run move-clicks -- --undo      (PostgreSQL alone has them; deletes them in ClickHouse)`
const maxListed = 20

/**
 * Moves the clicks of a database that has some to ClickHouse, while visits go on.
 *
 * @param args nothing, `--finish` or `--undo`
 * @returns a message for the operator
 * @throws {Error} with advice for the operator
 */
export async function moveClicks(args: string[], config: Config, log: Logger): Promise<string> {
  const [step = '--copy', ...more] = args
  if (more.length > 0 || !['--copy', '--finish', '--undo'].includes(step)) throw new Error(usage)
  const clickhouse = orThrow(
    config.clickhouse,
    () => new Error('CLICKHOUSE_URL is missing: it says where the clicks go.'),
  )
  const { finishMove, moveToClickHouse, undoMove } = await import('../analytics/click-move.ts')
  const run = async (database: Database) => {
    const deps = { database, settings: clickhouse, log }
    if (step === '--finish') return finishMove(deps)
    const print = (line: string) => void process.stdout.write(`${line}\n`)
    if (step === '--undo') return undoMove(deps, print)
    const { hits, differences } = await moveToClickHouse(deps, print)
    if (differences.length === 0)
      return `${hits} hits and events of popups were copied; both databases have the same numbers for every account and day. Reports still come from PostgreSQL. When all servers have CLICKHOUSE_URL, run: npm run move-clicks -- --finish`
    const lines = differences
      .slice(0, maxListed)
      .map(
        ({ day, kind, postgres, clickhouse: there }) =>
          `  ${day} ${kind === 'h' ? 'hits' : 'events of popups'}: ${postgres} in PostgreSQL, ${there} in ClickHouse`,
      )
    throw new Error(
      `The databases differ on ${differences.length} days:\n${lines.join('\n')}\nPostgreSQL keeps all clicks. These days were copied twice; begin again: npm run move-clicks -- --undo`,
    )
  }
  return withDatabase(config, log, run, 3)
}
