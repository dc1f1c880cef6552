import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLive } from '#test/analytics/live-client.ts'
import { visit } from '#test/visits/visit.ts'
import { startBenchServer } from './shared/built-server.ts'
import { addLinks, codeOf, signUp } from './shared/people.ts'

// How far a live stream is behind: 1,000 hits a second (BENCH_RATE) for 20 s (BENCH_SECONDS) on 100 links. The n-th hit that the
// stream tells of is compared with the moment at which the n-th hit was answered. The aim is 2 s.

const rate = Number(process.env.BENCH_RATE ?? 1_000)
const seconds = Number(process.env.BENCH_SECONDS ?? 20)
const links = 100
const perStep = rate / 100

const { url, database, close } = await startBenchServer({
  env: { RATE_LIMITS: 'off', TRUSTED_PROXIES: '1' },
})
try {
  const person = await signUp(url)
  await database.query(`update app.user_plans set plan_type = 'pro' where user_id = $1`, [
    person.id,
  ])
  await addLinks(database, person.id, 0, links)
  const stream = await openLive({ url }, person)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  /** When each hit was answered. */
  const answered: number[] = []
  const running: Promise<unknown>[] = []
  const send = async (n: number) => {
    await visit(url, `/${codeOf(person.id, n % links)}`, {
      agent,
      headers: { 'x-forwarded-for': `198.51.${Math.floor(n / 250) % 250}.${n % 250}` },
    })
    answered.push(performance.now())
  }
  const started = performance.now()
  for (let step = 0; step < seconds * 100; step++) {
    for (let n = 0; n < perStep; n++) running.push(send(step * perStep + n))
    await sleep(Math.max(0, started + (step + 1) * 10 - performance.now()))
  }
  await Promise.all(running)
  const sum = (received: Record<string, number>) =>
    Object.values(received).reduce((all, n) => all + n, 0)
  for (let waited = 0; sum(stream.received()) < answered.length && waited < 300; waited++)
    await sleep(100)

  const behind: number[] = []
  for (const { event, data, at } of stream.events) {
    if (event !== 'hits') continue
    for (const moment of answered.slice(behind.length, sum(data.received)))
      behind.push(Math.max(0, at - moment))
  }
  behind.sort((a, b) => a - b)
  const part = (share: number) => Math.round(behind[Math.ceil(behind.length * share) - 1] ?? 0)
  process.stdout.write(
    `${answered.length} hits sent in ${((performance.now() - started) / 1_000).toFixed(1)} s, ` +
      `${behind.length} told by the stream; behind in ms: median ${part(0.5)}, p95 ${part(0.95)}, slowest ${part(1)}\n`,
  )
  stream.close()
  agent.destroy()
} finally {
  await close()
}
