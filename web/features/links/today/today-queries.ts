import { queryOptions } from '@tanstack/react-query'
import { type HitSelection, readHits, readReport } from '#web/clicks/report.ts'
import { answerOf, tables } from '#web/api/client.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** The server's clock may be ahead. */
const slackMs = 60_000

function selectionOf(from: number, to: number): HitSelection {
  return {
    about: { scope: 'account' },
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    filters: {},
    include: ['repeats', 'own'],
    isExact: false,
  }
}

export interface LastDay {
  /** Clicks of the last 24 hours, oldest first. */
  hours: number[]
  now: number
  /** Clicks of the 24 hours before. */
  before: number
}

/** The clicks of the last 24 hours, beside those of the 24 hours before. */
export function lastDayQuery(userId: string) {
  return queryOptions({
    queryKey: ['clicks', userId, 'figures', 'last-day'],
    staleTime: 60_000,
    retry: false,
    queryFn: async ({ signal }): Promise<LastDay> => {
      const end = Math.ceil(Date.now() / hourMs) * hourMs
      const { rows } = await readReport('hour', selectionOf(end - 2 * dayMs, end), { signal })
      const hours = Array.from<number>({ length: 48 }).fill(0)
      for (const { key, clicks } of rows) {
        const at = Math.floor((Date.parse(key) - (end - 2 * dayMs)) / hourMs)
        if (at >= 0 && at < 48) hours[at] = clicks
      }
      return { hours: hours.slice(24), now: sum(hours.slice(24)), before: sum(hours.slice(0, 24)) }
    },
  })
}

export interface Riser {
  id: string
  label: string
  title: string | undefined
  kind: string
  now: number
  before: number
}

/** Targets of one answer; a link beyond them rises too little to be named. */
const compared = 200

/** The links and pages that grew most in clicks: the last 7 days beside the 7 days before. */
export function risersQuery(userId: string) {
  return queryOptions({
    queryKey: ['clicks', userId, 'lists', 'risers'],
    staleTime: 5 * 60_000,
    retry: false,
    queryFn: async ({ signal }): Promise<Riser[]> => {
      const now = Date.now() + slackMs
      const [week, before] = await Promise.all(
        [now - 7 * dayMs, now - 14 * dayMs].map((from) =>
          readReport('target', selectionOf(from, from + 7 * dayMs), { limit: compared, signal }),
        ),
      )
      const earlier = new Map(before?.rows.map(({ key, clicks }) => [key, clicks]))
      return (week?.rows ?? [])
        .flatMap(({ key, label, title, kind = '', clicks }) =>
          label === undefined
            ? []
            : [{ id: key, label, title, kind, now: clicks, before: earlier.get(key) ?? 0 }],
        )
        .filter((riser) => riser.now > riser.before)
        .toSorted((a, b) => b.now - b.before - (a.now - a.before))
        .slice(0, 3)
    },
  })
}

/** The newest hits of the last hour. */
export function lastHourQuery(userId: string) {
  return queryOptions({
    queryKey: ['clicks', userId, 'figures', 'last-hour'],
    refetchInterval: 20_000,
    retry: false,
    queryFn: ({ signal }) => {
      const now = Date.now()
      return readHits(selectionOf(now - hourMs, now + slackMs), { limit: 4, signal })
    },
  })
}

/** The newest popups that are on. */
export function runningPopupsQuery(userId: string) {
  return queryOptions({
    queryKey: ['popups', userId, 'running'],
    queryFn: ({ signal }) =>
      answerOf(
        tables
          .from('popups')
          .select('id,title,name')
          .eq('user_id', userId)
          .eq('is_active', true)
          .order('created_at', { ascending: false })
          .limit(3),
        signal,
      ),
  })
}

export interface QuietLinks {
  /** Links of more than a week without a click, among `of`. */
  count: number
  of: number
  /** Older ones were not looked at. */
  hasMore: boolean
}

/** Rows of one answer: no index has the clicks (docs/decisions/0034). */
const lookedAt = 100

/** The newest links of more than a week that are in the list, and how many of them have no click. */
export function quietLinksQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'quiet-links'],
    staleTime: 5 * 60_000,
    retry: false,
    queryFn: async ({ signal }): Promise<QuietLinks> => {
      const { data } = await tables
        .from('shortened_urls')
        .select('click_count,archived_at')
        .eq('user_id', userId)
        .lt('created_at', new Date(Date.now() - 7 * dayMs).toISOString())
        .order('created_at', { ascending: false })
        .limit(lookedAt)
        .abortSignal(signal)
        .throwOnError()
      const listed = data.filter((link) => link.archived_at === null)
      const count = listed.filter((link) => link.click_count === 0).length
      return { count, of: listed.length, hasMore: data.length === lookedAt }
    },
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
