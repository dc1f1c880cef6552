import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { build } from 'vite'
import type { Config } from '#server/config.ts'
import type { Context } from '#server/context.ts'
import { loadKeys } from '#server/tokens/keys.ts'
import type { TestDatabase } from '#test/database.ts'
import type { TestUser } from '#test/factories.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { callWebhooks } from './calls.ts'
import { type Arrival, type Behavior, startReceiver } from './receiver.ts'

/** A server that sends nothing itself: {@link quietly}. */
interface StormServer {
  url: string
  databaseUrl: string
  sql: TestDatabase['sql']
  context: Pick<Context, 'config'>
  owner: Pick<TestUser, 'id' | 'headers'>
}

/** The settings of a server that leaves its events to others. */
export function quietly(webhooks: Config['webhooks']): Pick<Config, 'webhooks'> {
  return { webhooks: { ...webhooks, pollIntervalMs: 3_600_000 } }
}

interface StormOptions {
  events: number
  links: number
  kills: number
  restarts: number
  /** Told now and then what has arrived. */
  onProgress?: (accepted: number) => void
}

/** What a receiver got in a storm, in its order. */
export interface StormArrivals {
  secret: string
  arrivals: Arrival[]
  /** Requests that came where a redirect led to. */
  redirected: number
}

/**
 * Changes links while the process that sends is killed again and again, to a receiver that fails at random, hangs,
 * redirects, closes connections, answers a gigabyte and is restarted.
 */
export async function storm(server: StormServer, options: StormOptions): Promise<StormArrivals> {
  const { events, links, kills, restarts, onProgress } = options
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-webhooks-'))
  const script = await buildWorker(folder)
  const [receiver, trap] = await Promise.all([startReceiver(), startReceiver()])
  let worker: ChildProcess | undefined
  try {
    const { config: running } = server.context
    const keys = await loadKeys(running.dataDir, running.signingKey)
    const webhooks = JSON.stringify({ ...running.webhooks, pollIntervalMs: 50 })
    const args = [script, server.databaseUrl, webhooks, JSON.stringify(keys.signingKey)]
    const start = () =>
      (worker = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }))
    const kill = async () => {
      const ended = worker && once(worker, 'exit')
      worker?.kill('SIGKILL')
      await ended
    }
    const { secret } = await callWebhooks(server, server.owner.headers, 'POST', '', {
      url: receiver.url,
      events: ['link.updated'],
    })
    receiver.answerHeaders = { location: trap.url }
    receiver.behave = () => randomBehavior()

    const codes = Array.from({ length: links }, (_, n) => ({
      code: `storm-${n}`,
      url: 'https://example.com/0',
    }))
    const planted = await plantLinks(server.sql, codes, server.owner.id)
    const ids = planted.map(({ id }) => id)
    start()
    const accepted = () =>
      new Set(receiver.arrivals.filter((arrival) => arrival.accepted).map(({ id }) => id)).size
    const writing = (async () => {
      for (let n = 1; n <= events; n++) {
        const id = ids[n % ids.length]
        await server.sql('update app.shortened_urls set original_url = $2 where id = $1', [
          id,
          `https://example.com/${n}`,
        ])
      }
    })()
    const restarting = (async () => {
      for (let n = 0; n < restarts; n++) {
        await until(() => accepted() >= (events * (n + 0.5)) / (restarts + 1))
        await receiver.restart(500)
      }
    })()
    for (let n = 0; n < kills; n++) {
      await until(() => accepted() >= (events * (n + 1)) / (kills + 1))
      await kill()
      start()
      onProgress?.(accepted())
    }
    await Promise.all([writing, restarting])
    const waits = async () =>
      (await server.sql(`select from app.webhook_events where state <> 'delivered' limit 1`))
        .length > 0
    while (await waits()) {
      onProgress?.(accepted())
      await sleep(200)
    }
    return { secret, arrivals: receiver.arrivals, redirected: trap.connections }
  } finally {
    worker?.kill('SIGKILL')
    await Promise.all([receiver.close(), trap.close()])
    await rm(folder, { recursive: true })
  }
}

/** Counts what must not be: all but `copies`, which are accepted again after a kill or a lost answer. */
export function examine({ secret, arrivals }: Omit<StormArrivals, 'redirected'>, events: number) {
  const verifier = new Webhook(secret)
  const seen = new Set<string>()
  const last = new Map<string, number>()
  let [copies, outOfOrder, unverified] = [0, 0, 0]
  for (const { id, headers, body, accepted } of arrivals) {
    if (!verifies(verifier, body, headers)) unverified++
    if (accepted && seen.has(id)) copies++
    if (!accepted || seen.has(id)) continue
    seen.add(id)
    const { data } = JSON.parse(body) as { data: { id: string; original_url: string } }
    const n = Number(data.original_url.split('/').at(-1))
    if (n < (last.get(data.id) ?? 0)) outOfOrder++
    last.set(data.id, n)
  }
  return { lost: events - seen.size, outOfOrder, unverified, copies }
}

function randomBehavior(): Behavior {
  const chance = Math.random()
  if (chance < 0.08) return 500
  if (chance < 0.12) return 302
  if (chance < 0.15) return 'reset'
  if (chance < 0.16) return 'hang'
  if (chance < 0.18) return 'huge'
  return 200
}

function verifies(verifier: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    verifier.verify(body, headers)
    return true
  } catch {
    return false
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(20)
}

/** In one piece, so that it starts at once. */
async function buildWorker(folder: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: ['pg-native', 'pg-cloudflare'] },
    build: {
      ssr: 'test/webhooks/worker.ts',
      outDir: folder,
      rolldownOptions: { output: { entryFileNames: 'worker.mjs', codeSplitting: false } },
    },
  })
  return join(folder, 'worker.mjs')
}
