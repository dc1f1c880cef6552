import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answerOf, tables } from '#web/client.ts'
import type { MissedCodeDay } from '#web/database.ts'

/** Days up to today, in UTC. */
export const missedRanges = [7, 30, 90] as const
export type MissedRange = (typeof missedRanges)[number]

const maxCodes = 100
const dayMs = 86_400_000

/** A code without a link, with its visits. */
export interface MissedCode {
  code: string
  visits: number
  /** Visits of each day of the range, the oldest first. */
  days: number[]
  /** Date of the last visit, for example `2026-11-25`. */
  lastDay: string
  /** Whether the person can make a link with it. */
  isFree: boolean
}

/** The codes with most visits that have no link and no page: a person's former ones, for admins all. */
export function missedCodesQuery(userId: string, range: MissedRange) {
  return queryOptions({
    queryKey: ['missed-codes', userId, range],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<MissedCode[]> => {
      const today = Date.now()
      const days = Array.from({ length: range }, (_, day) =>
        new Date(today - (range - 1 - day) * dayMs).toISOString().slice(0, 10),
      )
      const request = tables.rpc('missed_codes', {
        _from: days[0] ?? '',
        _to: days.at(-1) ?? '',
        _limit: maxCodes,
      })
      return codesOf(await answerOf(request, signal), days)
    },
  })
}

function codesOf(rows: readonly MissedCodeDay[], days: readonly string[]): MissedCode[] {
  const codes = new Map<string, MissedCode>()
  for (const { code, day, visits, is_free: isFree } of rows) {
    const known = codes.get(code) ?? {
      code,
      visits: 0,
      days: days.map(() => 0),
      lastDay: day,
      isFree,
    }
    known.visits += visits
    known.days[days.indexOf(day)] = visits
    if (day > known.lastDay) known.lastDay = day
    codes.set(code, known)
  }
  return [...codes.values()]
}
