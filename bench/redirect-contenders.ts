import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LinkRules, RuleCondition } from '#domain/visits/rules.ts'
import { cpuOf, cpuOfFirstThread } from './shared/cpu.ts'
import { type BenchDatabase, startBenchDatabase } from './shared/database.ts'
import { freePort } from '#test/free-port.ts'

export interface Contender {
  name: string
  url: string
  /** Processor time used so far, in microseconds. */
  cpu(): number
  /** The part of the thread that answers. */
  answering(): number
  /** `Host` of the requests. */
  host?: string
  /** PostgreSQL works meanwhile as much as it did for ours. */
  isBesideSql?: boolean
}

export interface Contenders {
  /** In the order of each round. */
  all: Contender[]
  /** Resolves when all clicks are applied, so that counting does not slow down the next contender. */
  settled(): Promise<void>
  /** Gives the second link ten rules, of which the last one holds. */
  giveRules(): Promise<void>
  /** The total that the database holds after the last click was applied. */
  counts(): Promise<{ counted: number; events: number }>
  /** Processor time of PostgreSQL so far, in microseconds. */
  databaseCpu(): number
  /** Keeps PostgreSQL at work for this share of the time; the result ends that. */
  occupyDatabase(share: number): () => Promise<void>
  stop(): Promise<void>
}

/** Starts the servers on core 0, and Hoplet's databases with `links` links on core 1. */
export async function startContenders(folder: string, links: number): Promise<Contenders> {
  const children: ChildProcess[] = []
  const postgres = await startBenchDatabase(folder)
  const postmaster = await shareCore1(folder)
  const databaseCpu = () => cpuOf(postmaster)
  const stop = async () => {
    for (const child of children) {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      if (child.exitCode === null && child.kill('SIGTERM')) await ended
    }
    await postgres.stop()
  }

  const onCore0 = (command: string, args: string[], env: Record<string, string> = {}) => {
    const child = spawn('taskset', ['-c', '0', command, ...args], {
      env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    children.push(child)
    const { pid = 0 } = child
    return { cpu: () => cpuOf(pid), answering: () => cpuOfFirstThread(pid) }
  }
  const url = (port: number) => `http://127.0.0.1:${port}/bench-000001`
  /** The server that was built in a checkout, ready and with links. */
  const startHoplet = async (name: string, checkout: string, database: BenchDatabase) => {
    const port = await freePort()
    const started = onCore0(process.execPath, [join(checkout, 'dist/server/main.js')], {
      PORT: String(port),
      DATA_DIR: join(folder, name),
      DATABASE_URL: database.url,
      LOG_LEVEL: 'error',
      CLICK_FSYNC: process.env.CLICK_FSYNC ?? 'off',
    })
    // The server runs the migrations; then links can be inserted.
    await answering(`http://127.0.0.1:${port}/health/ready`, 200)
    await database.sql(plantedLinks(links))
    return { name, url: url(port), ...started }
  }
  const databases: BenchDatabase[] = [postgres]
  try {
    const ours = await startHoplet('ours', '.', postgres)
    const all: Contender[] = [ours]
    const ofDomain = await postgres.add('domain')
    databases.push(ofDomain)
    const domain = await startHoplet('domain', '.', ofDomain)
    all.push({ ...domain, host: await moveToDomain(ofDomain, domain.url) })
    if (process.env.BENCH_BEFORE) {
      const database = await postgres.add('before')
      databases.push(database)
      all.push(await startHoplet('before', process.env.BENCH_BEFORE, database))
    }
    const [nginx, bare] = [await freePort(), await freePort()]
    await writeFile(join(folder, 'nginx.conf'), nginxConfig(nginx))
    await writeFile(join(folder, 'bare.mjs'), bareServer(bare, links))
    const nginxProcess = onCore0('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder])
    const bareProcess = onCore0(process.execPath, [join(folder, 'bare.mjs')])
    all.push({ name: 'nginx', url: url(nginx), ...asOne(nginxProcess) })
    all.push({ name: 'bare node:http', url: url(bare), ...bareProcess })
    all.push({ ...bareProcess, name: 'bare beside SQL', url: url(bare), isBesideSql: true })
    for (const each of all) await answering(each.url, 302)
    return {
      all,
      settled: () => settled(databases),
      ...operationsOn(postgres, ours),
      databaseCpu,
      occupyDatabase: (share) => occupy(postgres, share, databaseCpu),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function settled(databases: BenchDatabase[]): Promise<void> {
  const appliedBytes = async () => {
    const rows = databases.map((database) =>
      database.sql<{ n: string }>('select sum(applied_bytes) as n from app.click_segments'),
    )
    return (await Promise.all(rows)).map(([row]) => row?.n).join()
  }
  for (let last = '', now = await appliedBytes(); now !== last;) {
    last = now
    await sleep(1_000)
    now = await appliedBytes()
  }
}

function operationsOn(
  database: BenchDatabase,
  { url }: Contender,
): Pick<Contenders, 'giveRules' | 'counts'> {
  return {
    giveRules: () => giveRules(database, url.replace('000001', '000002')),
    async counts() {
      let last = -1
      for (;;) {
        const [row] = await database.sql<{ counted: string; events: string }>(
          `select (select sum(click_count) from app.shortened_urls) as counted,
            (select count(*) from app.click_events where verdict in ('c', 'r', 'o')) as events`,
        )
        const counted = Number(row?.counted)
        if (counted === last) return { counted, events: Number(row?.events) }
        last = counted
        await sleep(2_000)
      }
    },
  }
}

const ruled = 'https://example.com/ruled'

async function giveRules(database: BenchDatabase, address: string): Promise<void> {
  await database.sql(
    `with link as (
        update app.shortened_urls set rules_version = 1 where short_code = 'bench-000002' returning id)
      insert into app.link_rules (link_id, rules) select id, $1 from link`,
    [JSON.stringify(tenRules())],
  )
  for (;;) {
    const { headers } = await fetch(address, { redirect: 'manual' })
    if (headers.get('location') === ruled) return
    await sleep(100)
  }
}

/** One condition each, on different facts. */
function tenRules(): LinkRules {
  const zone = 'Europe/Berlin'
  const conditions: RuleCondition[] = [
    { fact: 'country', is: ['US', 'CA'] },
    { fact: 'system', is: ['ios', 'android'] },
    { fact: 'language', is: ['es', 'fr'] },
    { fact: 'in_app', is: ['any'] },
    { fact: 'address', is: ['10.0.0.0/8', '192.168.0.0/16'] },
    { fact: 'query', name: 'ref', is: ['present'] },
    { fact: 'before', is: ['2020-01-01T00:00:00.000Z'] },
    { fact: 'source', is: ['qr'] },
    { fact: 'hours', is_not: ['00:00-24:00'], zone },
    { fact: 'browser', is_not: ['safari'] },
  ]
  return conditions.map((condition, i) => ({ id: `rule-${i}`, when: [condition], to: ruled }))
}

/** nginx answers in a child. */
const asOne = ({ cpu }: Pick<Contender, 'cpu'>) => ({ cpu, answering: cpu })

/** Moves PostgreSQL to core 1, at a lower priority than the load generator, which shares the core. */
async function shareCore1(folder: string): Promise<number> {
  const [postmaster = ''] = (
    await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')
  ).split('\n')
  const workers = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim()
  for (const pid of [postmaster, ...workers.split(' ')]) {
    spawnSync('taskset', ['-cp', '1', pid])
    spawnSync('renice', ['-n', '19', '-p', pid])
  }
  return Number(postmaster)
}

/** Statements of some 30 ms, as long as the batches of clicks take, with pauses between them. */
function occupy(database: BenchDatabase, share: number, cpu: () => number): () => Promise<void> {
  const [startedAt, before] = [performance.now(), cpu()]
  let isOver = false
  const work = async () => {
    while (!isOver) {
      await database.sql('select count(*) from generate_series(1, 300000)')
      const due = (cpu() - before) / 1000 / share
      await sleep(Math.max(1, due - (performance.now() - startedAt)))
    }
  }
  const ended = work()
  return () => {
    isOver = true
    return ended
  }
}

const owner = '00000000-0000-4000-8000-000000000001'

/** Gives the links to a domain. Resolves with its host when it is served. */
async function moveToDomain(database: BenchDatabase, url: string): Promise<string> {
  const host = 'go.bench.example'
  const [domain] = await database.sql<{ id: number }>(
    'insert into app.domains (user_id, host, is_served) values ($1, $2, true) returning id',
    [owner, host],
  )
  await database.sql(`
    begin;
    set local session_replication_role = replica;
    update app.names set name = '${domain?.id}/' || name where kind = 'link';
    update app.shortened_urls set short_code = '${domain?.id}/' || short_code;
    commit;
    analyze`)
  while (!(await locationAt(url, host))?.startsWith('https://example.com/')) await sleep(100)
  return host
}

/** Where a host redirects. */
function locationAt(url: string, host: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { host } }, (answer) => {
      answer.resume()
      resolve(answer.headers.location)
    }).on('error', reject)
  })
}

function plantedLinks(links: number): string {
  return `
    begin;
    set local session_replication_role = replica;
    insert into auth.users (id, email) values ('${owner}', 'bench@example.com');
    insert into app.names (name, kind, owner_id)
      select 'bench-' || lpad(i::text, 6, '0'), 'link', '${owner}' from generate_series(1, ${links}) i;
    insert into app.shortened_urls (user_id, short_code, original_url)
      select '${owner}', 'bench-' || lpad(i::text, 6, '0'), 'https://example.com/landing/page-' || i || '?utm_source=hoplet'
      from generate_series(1, ${links}) i;
    commit;
    analyze`
}

function nginxConfig(port: number): string {
  return `
worker_processes 1;
daemon off;
pid nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000000;
  server {
    listen 127.0.0.1:${port} backlog=1024;
    location / { return 302 https://example.com/landing/page-1?utm_source=hoplet; }
  }
}`
}

/** The minimum for node:http: one look-up, one header. */
function bareServer(port: number, links: number): string {
  return `
import { createServer } from 'node:http'
const urls = new Map()
for (let i = 1; i <= ${links}; i++) {
  const url = 'https://example.com/landing/page-' + i + '?utm_source=hoplet'
  const code = 'bench-' + String(i).padStart(6, '0')
  urls.set(code, url)
  if (i % 4 === 0) urls.set('Q/' + code.toUpperCase(), url)
}
createServer((request, response) => {
  const url = urls.get(request.url.slice(1))
  if (url === undefined) response.writeHead(404).end()
  else response.writeHead(302, { Location: url }).end()
}).listen(${port}, '127.0.0.1')
`
}

async function answering(url: string, status: number): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const response = await fetch(url, { redirect: 'manual' }).catch(() => undefined)
    if (response?.status === status) return
    await sleep(100)
  }
  throw new Error(`${url} did not answer ${status}`)
}
