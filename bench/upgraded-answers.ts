import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom } from '#test/seeded-random.ts'
import { startBuilt } from '#test/visits/built.ts'
import { plantLinks, plantOwner } from '#test/visits/plant.ts'
import { startBenchDatabase } from './shared/database.ts'

// 10,000 codes (BENCH_LINKS) are asked of the build in BENCH_BEFORE, and of this build after it has upgraded the same database. Each
// answer must be the same, byte for byte but for its date and the secrets of one answer.

const before = process.env['BENCH_BEFORE']
if (before === undefined) throw new Error('BENCH_BEFORE is the folder of a checkout with a build')
const links = Number(process.env['BENCH_LINKS'] ?? 10_000)
const folder = await mkdtemp(join(tmpdir(), 'hoplet-upgrade-'))
const postgres = await startBenchDatabase(folder)
const environment = {
  DATABASE_URL: postgres.url,
  DATA_DIR: join(folder, 'server'),
  PUBLIC_URL: 'https://hop.example',
}
try {
  const old = await startBuilt(environment, join(before, 'dist/server/main.js'))
  const paths = await plant()
  const answers = await ask(old.url, paths)
  await old.end('SIGTERM')
  const upgraded = await startBuilt(environment)
  const now = await ask(upgraded.url, paths)
  await upgraded.end('SIGTERM')
  const changed = paths.filter((_, n) => answers[n] !== now[n])
  const statuses = new Map<string, number>()
  for (const answer of answers) {
    const status = answer.slice(9, 12)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  process.stdout.write(
    `${paths.length} answers: ${[...statuses].map(([status, n]) => `${n} of ${status}`).join(', ')}\n${changed.length} changed\n`,
  )
  for (const path of changed.slice(0, 3)) {
    const n = paths.indexOf(path)
    process.stdout.write(
      `--- ${path}\n${answers[n]?.slice(0, 2_000)}\n+++\n${now[n]?.slice(0, 2_000)}\n`,
    )
  }
  process.exitCode = changed.length === 0 ? 0 : 1
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Links with all options that visitors notice, former codes and bio pages. Returns the paths to ask. */
async function plant(): Promise<string[]> {
  const random = seededRandom(5)
  const owner = await plantOwner(postgres.sql)
  const codes = Array.from({ length: links }, (_, n) => `code-${n}`)
  for (let from = 0; from < links; from += 1_000)
    await plantLinks(
      postgres.sql,
      codes
        .slice(from, from + 1_000)
        .map((code) => ({ code, url: `https://example.com/${code}?a=1` })),
      owner,
    )
  const some = (part: number) => codes.filter(() => random() < part)
  const set = (columns: string, part: number) =>
    postgres.sql(
      `update app.shortened_urls set ${columns} where short_code = any ($1) and starts_at is null`,
      [some(part)],
    )
  await set('is_disabled = true', 0.05)
  await set(`forward_query = 'all'`, 0.1)
  await set('redirect_status = 307', 0.1)
  await set(`title = 'A title – ✓'`, 0.2)
  await set(`starts_at = '2100-01-01'`, 0.03)
  await set(`ends_at = '2020-01-01', fallback_url = 'https://example.com/over'`, 0.03)
  await set('show_preview_page = false', 0.1)
  await postgres.sql(
    `insert into app.names (name, kind, owner_id, alias_of)
      select 'former-' || n, 'alias', $1, 'code-' || n from generate_series(0, $2::integer / 20) n`,
    [owner, links],
  )
  return codes.flatMap((code, n) => [
    `/${code}`,
    ...(n % 10 === 0
      ? [`/${code}+`, `/q/${code}`, `/Q/${code.toUpperCase()}`, `/${code}?x=1`]
      : []),
    ...(n % 20 === 0 ? [`/former-${n / 20}`, `/missing-${n}`, `/og/${code}.svg`] : []),
  ])
}

/** Raw answers, without the parts that are new in each. */
async function ask(url: string, paths: readonly string[]): Promise<string[]> {
  const { hostname, port } = new URL(url)
  const answers: string[] = []
  for (const path of paths) answers.push(plain(await raw(hostname, Number(port), path)))
  return answers
}

function raw(host: string, port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host)
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('end', () => resolve(Buffer.concat(chunks).toString('latin1')))
    socket.on('error', reject)
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: hop.example\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0\r\nConnection: close\r\n\r\n`,
    )
  })
}

function plain(answer: string): string {
  return answer.replace(/^date: .*$/im, '').replace(/^x-request-id: .*$/im, '')
}
