import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#test/free-port.ts'
import { type BuiltServer, startBuilt } from '#test/visits/built.ts'
import { broken, drive, historyOf, noCounts } from '#test/visits/history.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { signUp } from './shared/people.ts'
import { startBenchDatabase } from './shared/database.ts'

// Rolling restarts under load (BENCH_RATE visits and a tenth as many changes a second): 20 times (BENCH_ROUNDS) one of three
// nodes behind Caddy and behind nginx, with the files of deploy/, and 20 SIGHUPs of one server with two workers. No visit and no
// write may fail, and each answered visit must be counted. Needs the Debian packages caddy and nginx-light.

const rounds = Number(process.env.BENCH_ROUNDS ?? 20)
const perSecond = Number(process.env.BENCH_RATE ?? 100)
const root = new URL('..', import.meta.url).pathname

const folder = await mkdtemp(join(tmpdir(), 'hoplet-rolling-'))
const postgres = await startBenchDatabase(folder)
const { sql } = postgres

interface Front {
  url: string
  stop(): Promise<void>
}

async function startProgram(
  file: string,
  args: string[],
  environment = {},
): Promise<Front['stop']> {
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH, HOME: folder, ...environment },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return async () => {
    child.kill('SIGTERM')
    await ended
  }
}

/** deploy/Caddyfile as it is. */
async function startCaddy(nodes: readonly string[]): Promise<Front> {
  const url = `http://127.0.0.1:${await freePort()}`
  const stop = await startProgram(
    'caddy',
    ['run', '--adapter', 'caddyfile', '--config', join(root, 'deploy/Caddyfile')],
    { HOPLET_HOST: url, HOPLET_NODES: nodes.join(' ') },
  )
  return { url, stop }
}

/** deploy/nginx.conf with other nodes and ports, without TLS. */
async function startNginx(nodes: readonly string[]): Promise<Front> {
  const port = await freePort()
  const given = await readFile(join(root, 'deploy/nginx.conf'), 'utf8')
  const changed = given
    .replace(
      /^\tserver 127.*$/m,
      nodes.map((node) => `\tserver ${node} max_fails=1 fail_timeout=2s;`).join('\n'),
    )
    .replace(/server \{\n\tlisten 80;[\s\S]*?\n\}\n/, '')
    .replace(/^\t(listen|ssl_certificate|server_name).*\n/gm, '')
    .replace('client_max_body_size', `listen 127.0.0.1:${port};\n\tclient_max_body_size`)
  const path = join(folder, `nginx-${port}.conf`)
  await writeFile(
    path,
    `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; worker_processes 1;
events { worker_connections 4096; }
http { access_log off; client_body_temp_path ${folder}/n1; proxy_temp_path ${folder}/n2; fastcgi_temp_path ${folder}/n3;
uwsgi_temp_path ${folder}/n4; scgi_temp_path ${folder}/n5;
${changed} }\n`,
  )
  return { url: `http://127.0.0.1:${port}`, stop: await startProgram('nginx', ['-c', path]) }
}

/** Changes the destination of a link again and again; returns how many changes there were by status. */
function startWriting(url: string, headers: Record<string, string>, id: string) {
  const statuses = new Map<string, number>()
  const pending = new Set<Promise<void>>()
  let made = 0
  const write = async () => {
    const body = JSON.stringify({ original_url: `https://example.com/${made++}` })
    const status = await fetch(`${url}/rest/v1/shortened_urls?id=eq.${id}`, {
      // Neither nginx nor Caddy sends it a second time.
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    }).then(
      (response) => response.arrayBuffer().then(() => String(response.status)),
      (error: unknown) => `failed: ${String(error)}`,
    )
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const timer = setInterval(() => {
    const work: Promise<void> = write().finally(() => pending.delete(work))
    pending.add(work)
  }, 10_000 / perSecond)
  return {
    statuses,
    async stop() {
      clearInterval(timer)
      await Promise.all(pending)
    },
  }
}

/** A link of this person. */
async function makeLink(url: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(`${url}/rest/v1/shortened_urls?select=id`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', prefer: 'return=representation' },
    body: JSON.stringify({ original_url: 'https://example.com/' }),
  })
  const [link] = (await response.json()) as [{ id: string }]
  return link.id
}

const keys = { JWT_SIGNING_KEY: await signingKey() }

async function signingKey(): Promise<string> {
  const { privateKey } = await crypto.subtle.generateKey(
    { name: 'ECDSA', namedCurve: 'P-256' },
    true,
    ['sign'],
  )
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', privateKey)
  return JSON.stringify({ kty, crv, x, y, d })
}

async function startNode(name: string, environment: Record<string, string>): Promise<BuiltServer> {
  return startBuilt({
    DATABASE_URL: postgres.url,
    DATA_DIR: join(folder, name),
    PUBLIC_URL: 'http://rolling.example',
    TRUSTED_PROXIES: '1',
    ...keys,
    ...environment,
  })
}

/** Drives visits and writes at `url` while `restart` is called `rounds` times. */
async function measure(
  name: string,
  url: string,
  restart: (round: number) => Promise<void>,
): Promise<() => Promise<boolean>> {
  for (
    let attempt = 0;
    !(await fetch(`${url}/health/ready`).catch(() => undefined))?.ok;
    attempt++
  ) {
    if (attempt === 100) throw new Error(`${name} did not answer`)
    await sleep(100)
  }
  const person = await signUp(url)
  const codes = Array.from({ length: 50 }, (_, i) => ({
    code: `${name}-${i}`,
    url: 'https://example.com/',
  }))
  const links = await plantLinks(sql, codes)
  const counts = noCounts(links)
  const driver = drive(url, links, perSecond, counts)
  const writing = startWriting(url, person.headers, await makeLink(url, person.headers))
  await driver.answered(100)
  const before = performance.now()
  for (let round = 0; round < rounds; round++) await restart(round)
  const seconds = Math.round((performance.now() - before) / 1_000)
  await sleep(1_000)
  await writing.stop()
  await driver.stop()
  const told = (statuses: Map<string, number>) =>
    [...statuses].map(([status, n]) => `${n} x ${status}`).join(', ')
  process.stdout.write(
    `${name}: ${rounds} restarts in ${seconds} s; visits: ${told(driver.statuses)}; writes: ${told(writing.statuses)}\n`,
  )
  /** To be asked when all nodes have ended. */
  return async () => {
    const wrong = broken(await historyOf(sql, links, counts)).length
    const failures =
      [...driver.statuses.keys()].some((s) => s !== '302') ||
      [...writing.statuses.keys()].some((s) => s !== '204')
    process.stdout.write(`${name}: ${wrong} codes miscounted\n`)
    return wrong === 0 && !failures
  }
}

let succeeded = true
try {
  for (const [name, startFront] of Object.entries({ caddy: startCaddy, nginx: startNginx })) {
    const ports = [await freePort(), await freePort(), await freePort()]
    const environments = ports.map((port) => ({ PORT: String(port), DRAIN_SECONDS: '3' }))
    const nodes: BuiltServer[] = []
    for (const [n, environment] of environments.entries())
      nodes.push(await startNode(`${name}-${n}`, environment))
    const front = await startFront(ports.map((port) => `127.0.0.1:${port}`))
    const verify = await measure(name, front.url, async (round) => {
      const n = round % ports.length
      await nodes[n]?.end('SIGTERM')
      nodes[n] = await startNode(`${name}-${n}`, environments[n] ?? {})
      // The proxy has to learn that it is back.
      await sleep(2_500)
    })
    await front.stop()
    for (const node of nodes) await node.end('SIGTERM')
    succeeded = (await verify()) && succeeded
  }
  const server = await startNode('workers', {
    WORKERS: '2',
    TRUSTED_PROXIES: '0',
    ADMIN_PORT: String(await freePort()),
  })
  const verify = await measure('sighup', server.url, async () => {
    server.process.kill('SIGHUP')
    // Starting two processes and retiring two takes about this long.
    await sleep(9_000)
  })
  await server.end('SIGTERM')
  succeeded = (await verify()) && succeeded
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
if (!succeeded) process.exitCode = 1
