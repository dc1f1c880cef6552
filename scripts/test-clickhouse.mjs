// Tests against ClickHouse itself: `npm run test:clickhouse`. The engine (chdb, 546 MB) is installed once into .cache/chdb.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './process.mjs'
import { setUp } from './setup.mjs'

const version = '3.4.0'
const folder = join(root, '.cache/chdb')

await setUp()
if (!existsSync(join(folder, 'node_modules/chdb'))) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `chdb@${version}`], folder)
}
run('npx', ['vitest', 'run', 'test/clickhouse'], root)

function run(file, args, cwd) {
  const env = { ...process.env, CLICKHOUSE_TESTS: 'on' }
  const { status } = spawnSync(file, args, { cwd, env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
