import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#test/free-port.ts'

/**
 * Does the time of an answer tell whether an account exists? Do 20 tabs survive 100 refreshes at once?
 * Does a flood of sign-ins slow redirects down? Against the built server, limits off.
 */
async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-bench-auth-'))
  try {
    await withServer(folder, {}, async (url) => {
      const account = await call(url, '/auth/v1/signup', {
        email: 'known@example.com',
        password: 'correct horse',
      })
      await enumeration('refused sign-in', 300, (kind, round) =>
        signIn(url, `${kind}@example.com`, `wrong ${round}`),
      )
      await tabs(url, String(account['refresh_token']))
      await flood(url, folder, String(account['access_token']), account['user'] as { id: string })
    })
    await withServer(folder, { AUTH_AUTOCONFIRM: 'off' }, mailed)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function withServer(
  folder: string,
  environment: Record<string, string>,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const port = await freePort()
  const server = spawn(process.execPath, ['dist/server/main.js'], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: folder,
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const url = `http://127.0.0.1:${port}`
  try {
    await ready(url)
    await work(url)
  } finally {
    server.kill('SIGTERM')
    await ended
  }
}

/** Requests that send an email, alternating between known and unknown addresses. */
async function mailed(url: string): Promise<void> {
  const ask =
    (path: string, more: Record<string, unknown> = {}) =>
    (kind: string, round: number) =>
      call(url, `/auth/v1/${path}`, {
        // An unknown address becomes known when it signs up, so each round needs a new one.
        email:
          path === 'signup' && kind === 'unknown'
            ? `new${round}@example.com`
            : `${kind}@example.com`,
        ...more,
      })
  await enumeration('recover', 150, ask('recover'))
  await enumeration('resend', 150, ask('resend', { type: 'signup' }))
  await enumeration('sign-in link', 150, ask('otp', { create_user: false }))
  await enumeration('sign-up to be confirmed', 100, ask('signup', { password: 'correct horse' }))
}

/** An account's existence must not show in the response time: medians within 10 %, Mann-Whitney p over 0.01. */
async function enumeration(
  what: string,
  rounds: number,
  ask: (kind: 'known' | 'unknown', round: number) => Promise<unknown>,
): Promise<void> {
  const times = { known: [] as number[], unknown: [] as number[] }
  for (let round = -10; round < rounds; round++) {
    const order =
      round % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)
    for (const kind of order) {
      const started = performance.now()
      await ask(kind, round)
      if (round >= 0) times[kind].push(performance.now() - started)
    }
  }
  const [known, unknown] = [quantile(times.known, 0.5), quantile(times.unknown, 0.5)]
  console.log(
    `${what}, known account ${known.toFixed(2)} ms, unknown ${unknown.toFixed(2)} ms (medians of ${rounds}): ` +
      `${((unknown / known - 1) * 100).toFixed(2)} %, Mann-Whitney p = ${mannWhitney(times.known, times.unknown).toFixed(3)}`,
  )
}

/** In each round, all tabs refresh at once and must get the same current token. */
async function tabs(url: string, first: string): Promise<void> {
  let token = first
  let bad = 0
  const started = performance.now()
  for (let round = 0; round < 100; round++) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        call(url, '/auth/v1/token?grant_type=refresh_token', { refresh_token: token }),
      ),
    )
    const given = answers.map((answer) => answer['refresh_token'])
    bad += given.filter((each) => each === undefined || each === token || each !== given[0]).length
    token = String(given[0])
  }
  const rate = 2_000 / ((performance.now() - started) / 1_000)
  console.log(`20 tabs x 100 rounds: ${bad} of 2000 bad, ${rate.toFixed(0)} refreshes/s`)
}

/** Redirects at a fixed rate, alone and beside 50 concurrent sign-ins. Target: p99 at most doubles and stays under 50 ms. */
async function flood(
  url: string,
  folder: string,
  token: string,
  user: { id: string },
): Promise<void> {
  const keys = JSON.parse(await readFile(join(folder, 'keys.json'), 'utf8')) as { anonKey: string }
  const links = await fetch(`${url}/rest/v1/shortened_urls?select=short_code`, {
    method: 'POST',
    headers: {
      apikey: keys.anonKey,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    body: JSON.stringify({ original_url: 'https://example.com/', user_id: user.id }),
  })
  const [link] = (await links.json()) as { short_code: string }[]
  const visits = async (count: number) => {
    const times: number[] = []
    for (let visit = 0; visit < count; visit++) {
      const started = performance.now()
      await fetch(`${url}/${link?.short_code}`, { redirect: 'manual' })
      times.push(performance.now() - started)
      await sleep(5)
    }
    return times
  }
  await visits(200)
  const quiet = await visits(500)
  let ended = false
  let signIns = 0
  // Fifty clients, each of which starts again as soon as it has its response.
  const crowd = Array.from({ length: 50 }, async (_, person) => {
    while (!ended) {
      await signIn(url, 'known@example.com', `wrong ${person} ${signIns++}`)
    }
  })
  await sleep(500)
  const loud = await visits(500)
  ended = true
  await Promise.all(crowd)
  const [before, beside] = [quantile(quiet, 0.99), quantile(loud, 0.99)]
  console.log(
    `redirect p99: ${before.toFixed(1)} ms quiet, ${beside.toFixed(1)} ms beside 50 sign-ins at once ` +
      `(${(beside / before).toFixed(2)} x; ${signIns} sign-ins)`,
  )
}

function signIn(url: string, email: string, password: string) {
  return call(url, '/auth/v1/token?grant_type=password', { email, password })
}

async function call(url: string, path: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as Record<string, unknown>
}

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Mann-Whitney U test, two-sided p by the normal approximation. */
function mannWhitney(a: number[], b: number[]): number {
  const ranked = [
    ...a.map((value) => ({ value, mine: true })),
    ...b.map((value) => ({ value, mine: false })),
  ]
  ranked.sort((one, other) => one.value - other.value)
  const ranks = ranked.reduce((sum, { mine }, index) => (mine ? sum + index + 1 : sum), 0)
  const u = ranks - (a.length * (a.length + 1)) / 2
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12)
  const z = Math.abs(u - (a.length * b.length) / 2) / deviation
  // Zelen and Severo's approximation of the normal distribution's tail.
  const t = 1 / (1 + 0.2316419 * z)
  const tail =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return (2 * Math.exp((-z * z) / 2) * tail) / Math.sqrt(2 * Math.PI)
}

async function ready(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const up = await fetch(`${url}/health/ready`).then(
      (response) => response.ok,
      () => false,
    )
    if (up) return
    await sleep(100)
  }
  throw new Error('the server did not start')
}

await main()
process.exit(0)
