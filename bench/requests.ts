import { createLog } from '#server/log.ts'
import { startTestServer } from '#test/server.ts'
import { sendStrangeRequests } from '#test/tables/requests/strange-requests.ts'

// BENCH_REQUESTS strange requests to the table door (test/tables/requests/strange-requests.ts), which stops at the first that is answered with an
// error of the server, a row of another person, or by a statement that it should not have sent; then the timing of the others.

const count = Number(process.env.BENCH_REQUESTS ?? 100_000)
const server = await startTestServer({}, {}, createLog('fatal'))
try {
  const { statuses, rows, slowest, served, statements } = await sendStrangeRequests(server, count)
  const inOrder = [...statuses].toSorted(([a], [b]) => a - b)
  console.log(`${count} requests, ${statements} different statements, at most ${rows} rows`)
  console.log(`statuses: ${inOrder.map(([status, n]) => `${status} ${n}`).join(', ')}`)
  console.log(`served: ${[...served].map(([name, n]) => `${name} ${n}`).join(', ')}`)
  console.log(`slowest: ${slowest.ms.toFixed(0)} ms for ${slowest.request.slice(0, 300)}`)
} finally {
  await server.close()
}
process.exit(0)
