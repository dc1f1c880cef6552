import { queryOptions } from '@tanstack/react-query'
import { functions } from '#web/api/client.ts'
import { cardName } from './status-cards.ts'

export type Verdict = 'ok' | 'warning' | 'failed'

/** One part of the server, as the status page shows it. */
export interface StatusPart {
  key: string
  name: string
  verdict: Verdict
  /** The problem, in a sentence. */
  problem: string | null
  facts: Record<string, unknown>
}

export interface StatusPage {
  checkedAt: string
  parts: StatusPart[]
}

export const systemStatusQuery = queryOptions({
  queryKey: ['admin', 'system-status'],
  staleTime: 30_000,
  queryFn: async ({ signal }): Promise<StatusPage> => {
    const { data, error } = await functions.invoke<Record<string, unknown>>('system-status', {
      signal,
    })
    if (error !== null || data === null) throw error ?? new Error('system-status said nothing')
    return readSystemStatus(data)
  },
})

function readSystemStatus({ checkedAt, ...parts }: Record<string, unknown>): StatusPage {
  return {
    checkedAt: typeof checkedAt === 'string' ? checkedAt : new Date().toISOString(),
    parts: Object.entries(parts).flatMap(([key, part]) =>
      isRecord(part) ? [readPart(key, part)] : [],
    ),
  }
}

// A part that could be read and is not well, or keeps something that did not work, is a warning; one that could not be
// read has failed.
function readPart(key: string, { ok, error, ...facts }: Record<string, unknown>): StatusPart {
  const part = { key, name: cardName(key), facts }
  const undelivered = key === 'outbox' ? Number(facts['failed'] ?? 0) : 0
  if (ok === true && undelivered > 0)
    return { ...part, verdict: 'warning', problem: 'Some mails could not be delivered' }
  if (ok === true) return { ...part, verdict: 'ok', problem: null }
  return {
    ...part,
    verdict: Object.keys(facts).length === 0 ? 'failed' : 'warning',
    problem: typeof error === 'string' ? error : 'No answer',
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The status in one sentence, for the dashboard. */
export function summaryOf({ parts }: StatusPage): { verdict: Verdict; text: string } {
  const unwell = parts.filter(({ verdict }) => verdict !== 'ok')
  if (unwell.length === 0) return { verdict: 'ok', text: `All ${parts.length} checks passed` }
  return {
    verdict: unwell.some(({ verdict }) => verdict === 'failed') ? 'failed' : 'warning',
    text: `Needs a look: ${unwell.map(({ name }) => name).join(', ')}`,
  }
}
