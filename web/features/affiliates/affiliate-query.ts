import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf, oneRowOf, tables } from '#web/api/client.ts'
import type { AffiliateRow, AffiliateSummary, CommissionLine } from '#web/api/database.ts'
import { makeAffiliateCode } from './affiliate-code.ts'

const pageSize = 10

export interface Affiliate extends Omit<AffiliateRow, 'user_id'> {
  summary: AffiliateSummary
}

/** Code, totals and summary of an account. The first visit makes the code. */
export function affiliateQuery(userId: string) {
  return queryOptions({
    queryKey: ['affiliate', userId],
    queryFn: async ({ signal }): Promise<Affiliate> => {
      const [row, summary] = await Promise.all([
        codeOf(userId, signal),
        answerOf(tables.rpc('affiliate_summary', {}), signal),
      ])
      return { ...row, summary }
    },
  })
}

async function codeOf(userId: string, signal: AbortSignal) {
  // Another tab may be making the code at this moment, or another account may have it: then we read again.
  for (let attempt = 0; attempt < 5; attempt++) {
    const row = await readCode(userId, signal)
    if (row !== null) return row
    const { error } = await tables
      .from('affiliate_codes')
      .insert({ user_id: userId, code: makeAffiliateCode() })
    if (error !== null && error.code !== '23505') throw error
  }
  throw new Error('no affiliate code could be made')
}

function readCode(userId: string, signal: AbortSignal) {
  return oneRowOf(
    tables
      .from('affiliate_codes')
      .select('code,total_referrals,total_earnings')
      .eq('user_id', userId),
    signal,
  )
}

/** The lines of the ledger, newest first, ten at a time. */
export function commissionsQuery(userId: string) {
  return infiniteQueryOptions({
    queryKey: ['affiliate', userId, 'commissions'],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        tables.rpc('commission_lines', {
          _before_created_at: pageParam?.created_at ?? null,
          _before_id: pageParam?.id ?? null,
          _limit: pageSize,
        }),
        signal,
      ),
    initialPageParam: null as CommissionLine | null,
    getNextPageParam: (lastPage) =>
      lastPage.length < pageSize ? undefined : (lastPage.at(-1) ?? undefined),
  })
}
