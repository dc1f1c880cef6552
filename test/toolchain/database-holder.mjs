// A server that does nothing but hold its data directory and database, for tests that kill it.
import pg from 'pg'
import { loadTypeScript } from '../../scripts/load-typescript.mjs'

const dataDirPath = process.argv[2] ?? ''
const { createLog } = await loadTypeScript('server/log.ts')
const { openDataDir } = await loadTypeScript('server/data-dir.ts')
const { startEmbeddedPostgres } = await loadTypeScript('server/postgres/embedded.ts')

const log = createLog('fatal')
try {
  const dataDir = await openDataDir(dataDirPath, log)
  process.stdout.write('claimed\n')
  const postgres = await startEmbeddedPostgres({ dataDir: dataDir.path, log })
  const drain = async () => {
    // As a draining server does: the database must still be there.
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    await client.query('create table if not exists drained (at timestamptz default now())')
    await client.query('insert into drained default values')
    await client.end()
    await postgres.stop()
    await dataDir.release()
    process.exit(0)
  }
  process.on('SIGINT', () => void drain())
  process.stdout.write(`ready ${postgres.url}\n`)
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
