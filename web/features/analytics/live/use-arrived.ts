import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { combineCounts, type HitCounts } from '#web/clicks/live/hit-counts.ts'
import type { ClickHit, ClickReport } from '#domain/reports/report-answers.ts'
import { readAgain } from '../report-queries.ts'
import type { OpenReport } from '../use-report.ts'
import { aheadOf, arrivedCounts, leastBefore, type StreamCounts } from './live-hits.ts'

const figuresEveryMs = 5_000
const listsEveryMs = 30_000
/** New hits are in the next answer. */
const settleMs = 1_000
/** After this the stream has sent every hit that an answer counted: the server reads hits once a second. */
const coveredAfterMs = 2_500
/** Or after so many events: the look behind the first may have been before the answer, the one behind the second was not. */
const coveredAfterEvents = 2

const nothing: StreamCounts = { came: {}, before: undefined }

/**
 * How far the stream is ahead of the last answer. An answer may have hits that the stream tells of only afterwards, and
 * neither says which. So the sum is never more than the total: a figure that was once on the screen is not taken back.
 *
 * @param totals the answer to the report's question; undefined until it is there
 */
export function useArrived(report: OpenReport, totals: ClickReport | undefined) {
  const question = JSON.stringify(report.selection)
  const [stream, setStream] = useState({ question, ...nothing })
  const isSame = stream.question === question
  // Another question has other answers.
  if (!isSame) setStream({ question, ...nothing })

  const answer = useRef({ events: 0, learn: () => {} })
  useEffect(() => {
    if (totals === undefined) return undefined
    const learn = () =>
      setStream((now) =>
        now.question === question ? { ...now, before: leastBefore(now, totals) } : now,
      )
    answer.current = { events: 0, learn }
    const timer = setTimeout(learn, coveredAfterMs)
    return () => clearTimeout(timer)
  }, [question, totals])

  const { readSoon, catchUp } = useReading(report.userId)
  const latest = useRef(report)
  useEffect(() => {
    latest.current = report
  }, [report])
  const take = useCallback(
    (received: HitCounts, hits: readonly ClickHit[]) => {
      const counts = arrivedCounts(latest.current, received, hits)
      setStream((now) => ({ ...now, came: combineCounts(now.came, counts, (a, b) => a + b) }))
      if (++answer.current.events === coveredAfterEvents) answer.current.learn()
      readSoon()
    },
    [readSoon],
  )
  const arrived = isSame && totals !== undefined ? aheadOf(stream, totals) : undefined
  return { arrived, take, catchUp }
}

/** Asks again in steps, however much comes. */
function useReading(userId: string) {
  const client = useQueryClient()
  const plan = useRef({ figuresAt: 0, listsAt: 0, timer: 0 })

  const readNow = useCallback(() => {
    const now = Date.now()
    const isListTime = now - plan.current.listsAt >= listsEveryMs
    plan.current.timer = 0
    plan.current.figuresAt = now
    if (isListTime) plan.current.listsAt = now
    if (isListTime) void readAgain(client, userId, 'lists')
    void readAgain(client, userId, 'figures')
  }, [client, userId])

  const readSoon = useCallback(() => {
    if (plan.current.timer !== 0) return
    const wait = Math.max(settleMs, plan.current.figuresAt + figuresEveryMs - Date.now())
    plan.current.timer = window.setTimeout(readNow, wait)
  }, [readNow])

  const catchUp = useCallback(() => {
    window.clearTimeout(plan.current.timer)
    plan.current.listsAt = 0
    readNow()
  }, [readNow])

  useEffect(() => {
    const { current } = plan
    current.listsAt = Date.now()
    return () => window.clearTimeout(current.timer)
  }, [])
  return { readSoon, catchUp }
}
