import { addLinks, codeOf, type BenchUser, signUp } from './shared/people.ts'
import { startBenchServer } from './shared/built-server.ts'

const sizes = [1_000, 100_000]
const rounds = 200
const columns = 'id,short_code,original_url,show_popup,popup_id,click_count,created_at'

/** Sends one request per round; `n` is the round. */
type Task = (n: number) => { method: string; path: string; body?: unknown }

/**
 * Measures list, search and create through the table door for an owner of 1,000 and of 100,000 links. Runs against the
 * built server without rate limits, one request at a time. Target: no growth.
 */
async function main(): Promise<void> {
  const { url, database, close } = await startBenchServer({ env: { RATE_LIMITS: 'off' } })
  try {
    const person = await signUp(url)
    await database.query(`update app.user_plans set plan_type = 'business' where user_id = $1`, [
      person.id,
    ])
    await addLinks(database, (await signUp(url)).id, 0, 20_000)
    let present = 0
    const results = new Map<string, { p50: number; p99: number }[]>()
    for (const size of sizes) {
      await addLinks(database, person.id, present, size)
      present = size
      for (const [name, task] of tasks(person, size)) {
        const measured = await measure(url, person, task)
        results.set(name, [...(results.get(name) ?? []), measured])
      }
      await database.query(
        'delete from app.shortened_urls where user_id = $1 and is_custom = false',
        [person.id],
      )
    }
    print(results)
  } finally {
    await close()
  }
}

function tasks(person: BenchUser, size: number): [string, Task][] {
  const page = `select=${columns}&order=created_at.desc,id.desc&limit=50`
  const mine = `shortened_urls?user_id=eq.${person.id}&${page}`
  const middle = new Date(Date.UTC(2026, 0, 1) + (size / 2) * 1_000).toISOString()
  const search = (text: string) => ({
    method: 'POST',
    path: `rpc/search_links?select=${columns}`,
    body: { _query: text, _limit: 50 },
  })
  const either = (text: string) => `or=(short_code.ilike.*${text}*,original_url.ilike.*${text}*)`
  return [
    ['list, first page', () => ({ method: 'GET', path: mine })],
    [
      'list, page in the middle',
      () => ({ method: 'GET', path: `${mine}&created_at=lte.${middle}` }),
    ],
    ['search_links, 1 match', (n) => search(`needle-${(n * 7) % size}-`)],
    ['search_links, no match', (n) => search(`nothing-${n}`)],
    ['search_links, all match', () => search('example')],
    ['search_links, 2 letters', () => search('zq')],
    [
      'or ilike, 1 match',
      (n) => ({ method: 'GET', path: `${mine}&${either(`needle-${(n * 7) % size}-`)}` }),
    ],
    ['or ilike, all match', () => ({ method: 'GET', path: `${mine}&${either('example')}` })],
    [
      'look a code up',
      (n) => ({
        method: 'GET',
        path: `shortened_urls?select=id&short_code=eq.${codeOf(person.id, n % size)}`,
      }),
    ],
    [
      'create',
      (n) => ({
        method: 'POST',
        path: 'shortened_urls',
        body: { user_id: person.id, original_url: `https://example.com/new/${n}` },
      }),
    ],
    [
      'increment_url_usage',
      () => ({ method: 'POST', path: 'rpc/increment_url_usage', body: { _user_id: person.id } }),
    ],
  ]
}

async function measure(
  url: string,
  person: BenchUser,
  task: Task,
): Promise<{ p50: number; p99: number }> {
  const times: number[] = []
  for (let n = -20; n < rounds; n++) {
    const { method, path, body } = task(n + 20)
    const started = performance.now()
    const response = await fetch(`${url}/rest/v1/${path}`, {
      method,
      headers: { ...person.headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    if (n >= 0) times.push(performance.now() - started)
  }
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

function print(results: Map<string, { p50: number; p99: number }[]>): void {
  console.log(`one person's links, ${rounds} requests each, in ms`)
  console.log(
    `${''.padEnd(28)}${sizes.map((size) => `${size.toLocaleString('en')} p50     p99`.padStart(22)).join('')}   growth p50   p99`,
  )
  for (const [name, [small, large]] of results) {
    if (!small || !large) continue
    const cells = [small, large].map(({ p50, p99 }) =>
      `${p50.toFixed(2)} ${p99.toFixed(2).padStart(8)}`.padStart(22),
    )
    console.log(
      `${name.padEnd(28)}${cells.join('')}${`x${(large.p50 / small.p50).toFixed(1)}`.padStart(13)}${`x${(large.p99 / small.p99).toFixed(1)}`.padStart(7)}`,
    )
  }
}

function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}

await main()
process.exit(0)
