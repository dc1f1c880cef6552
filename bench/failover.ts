import { failOver } from '#test/replicas/failover.ts'
import { broken } from '#test/visits/history.ts'

// Kills the primary under load and promotes its standby: with synchronous replication, and asynchronous with a standby that
// was cut off before. Each visit must be answered and counted once; a confirmed write may be lost only without synchronous
// replication, which is the positive control.

const rounds = Number(process.env.BENCH_ROUNDS ?? 10)
let failed = false
for (const synchronous of [true, false]) {
  const resumed: number[] = []
  const sums = { answered: 0, other: 0, counted: 0, confirmed: 0, lostWrites: 0, failedWrites: 0 }
  let behind = 0
  let brokenCodes = 0
  for (let round = 0; round < rounds; round++) {
    const loadMs = 1_500 + Math.random() * 2_000
    const report = await failOver({ synchronous, visitsPerSecond: 300, loadMs })
    const total = [...report.statuses.values()].reduce((sum, count) => sum + count, 0)
    const answered = report.statuses.get('302') ?? 0
    sums.answered += answered
    sums.other += total - answered
    sums.counted += report.history.reduce((sum, { counted }) => sum + counted, 0)
    sums.confirmed += report.confirmed
    sums.lostWrites += report.lostWrites
    sums.failedWrites += report.failedWrites
    behind += report.clicksBehind
    brokenCodes += broken(report.history).length
    resumed.push(report.writesResumedAfterMs)
  }
  resumed.sort((a, b) => a - b)
  const median = Math.round(resumed[Math.floor(resumed.length / 2)] ?? 0)
  const most = Math.round(resumed.at(-1) ?? 0)
  process.stdout.write(
    `${synchronous ? 'synchronous' : 'asynchronous'}: ${rounds} failovers, visits: ${sums.answered} redirected, ${sums.other} not, ` +
      `${sums.counted} counted (20 a round warmed the cache), ${brokenCodes} codes with a wrong count, ${behind} clicks behind at promotion; ` +
      `writes: ${sums.confirmed} confirmed, ${sums.lostWrites} of them lost, ${sums.failedWrites} refused, again after ${median} ms (median), ${most} ms (most)\n`,
  )
  failed ||= brokenCodes > 0 || sums.other > 0 || (synchronous && sums.lostWrites > 0)
}
process.exitCode = failed ? 1 : 0
