import { openClickHouse, selectRows } from '../analytics/clickhouse/client.ts'
import { checkClickHouse } from '../analytics/clickhouse/start-check.ts'
import { readClickStore } from '../analytics/click-store.ts'
import { type DoctorDeps, type Finding, ok, okIf, problem, reasonOf, warning } from './finding.ts'

const timeoutMs = 10_000
const minFreePart = 0.15

/** CLICKHOUSE_URL: whether it answers, grants enough, and has the clicks. */
export async function examineClickHouse({ config, database }: DoctorDeps): Promise<Finding[]> {
  const { clickhouse } = config
  if (!clickhouse) return [ok('Clicks are in PostgreSQL.')]
  const problems = await checkClickHouse(clickhouse)
  if (problems.length > 0) return problems.map((text) => problem(`${text}.`))
  const { state } = await readClickStore(database)
  const where = okIf(
    state === 'clickhouse',
    'ClickHouse has the clicks.',
    warning('Reports come from PostgreSQL. Run npm run move-clicks, or remove CLICKHOUSE_URL.'),
  )
  const url = new URL(clickhouse.url)
  url.pathname = '/'
  const client = openClickHouse({ url: url.href }, timeoutMs)
  try {
    const [disk] = await selectRows<{ free: number; total: number }>(
      client,
      'select toFloat64(sum(free_space)) as free, toFloat64(sum(total_space)) as total from system.disks',
    )
    if (!disk || disk.total === 0 || disk.free / disk.total > minFreePart) return [where]
    const free = Math.floor(disk.free / 1e9)
    return [where, warning(`ClickHouse has ${free} GB of disk left. Free some, or add a disk.`)]
  } catch (error) {
    return [
      where,
      problem(
        `ClickHouse does not answer (${reasonOf(error)}). Hits wait in PostgreSQL, and reports get 503. Start it, or correct CLICKHOUSE_URL.`,
      ),
    ]
  } finally {
    await client.close()
  }
}
