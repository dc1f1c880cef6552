import { startMeasuredServer } from './costs/server.ts'
import { makeCostlyLinks } from './costs/visits.ts'
import { costlyWrites } from './costs/writes.ts'

// The most expensive visits that limits permit, for each option of a link and each kind of rule, as processor time of the thread
// that answers; and the longest pause of the event loop in the most expensive single requests of an account. BENCH_ONLY: a part of
// the names to measure. BENCH_BUILD: another checkout with a build. Other work on the machine makes pauses longer, so the shortest of the
// rounds counts.

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3)
const count = Number(process.env['BENCH_VISITS'] ?? 6_000)
const only = process.env['BENCH_ONLY'] ?? ''
const middle = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const server = await startMeasuredServer()
try {
  const { plain, visits, reread } = await makeCostlyLinks(server)
  let number = 0
  const measure = async (path: string, { query, headers }: Partial<(typeof visits)[number]> = {}) =>
    server.costOf(count, () => {
      const n = ++number
      return server.visit(query ? `${path}?${query(n)}` : path, headers?.(n))
    })
  await measure(plain)
  const costs: number[] = []
  for (let round = 0; round < rounds; round++) costs.push(await measure(plain))
  const ordinary = middle(costs)
  process.stdout.write(`a plain visit: ${ordinary.toFixed(1)} us\n\n`)
  for (const visit of visits) {
    if (!visit.name.includes(only)) continue
    await server.visit(visit.path)
    const own: number[] = []
    const same: number[] = []
    for (let round = 0; round < rounds; round++) {
      own.push(await measure(visit.path, visit))
      same.push(await measure(plain, visit))
    }
    const times = (base: number) => (middle(own) / base).toFixed(1).padStart(5)
    process.stdout.write(
      `${visit.name.padEnd(60)} ${middle(own).toFixed(1).padStart(7)} us ${times(ordinary)} of a plain visit, ${times(middle(same))} of the same request to a plain link\n`,
    )
  }
  process.stdout.write('(aim: 3)\n\n')
  const read = async () => {
    await server.database.query(`select pg_notify('hoplet_names', $1)`, [reread])
    await server.visit(`/${reread}`)
  }
  await read()
  const reads = await server.costOf(300, read, 1)
  process.stdout.write(
    `a link with the longest rules and a popup is read again in ${(reads / 1_000).toFixed(2)} ms; with a maximum of clicks once a second\n\n`,
  )
  for (const [name, prepare] of costlyWrites) {
    if (!name.includes(only)) continue
    const pauses: number[] = []
    let answer = ''
    for (let round = 0; round < rounds; round++) {
      const work = await prepare(server)
      pauses.push(await server.pauseDuring(async () => (answer = await work())))
    }
    process.stdout.write(
      `${name.padEnd(60)} ${Math.round(Math.min(...pauses))
        .toString()
        .padStart(5)} ms without a turn of the event loop; ${answer}\n`,
    )
  }
  process.stdout.write('(aim: 100 ms)\n')
} finally {
  await server.close()
}
