import type { Context } from '../context.ts'
import type { Readings } from './families.ts'

export async function visitMetrics({ visits }: Pick<Context, 'visits'>): Promise<Readings> {
  const { duration, inFastLane, outcomes, cache } = visits.measures()
  const { entries, lookups } = visits.status()
  return {
    hoplet_visits_total: outcomes.map(({ outcome, count }) => [{ outcome }, count]),
    hoplet_visits_fast_lane_total: inFastLane,
    hoplet_visit_duration_seconds: { histograms: [[{}, duration]] },
    hoplet_name_cache_entries: [
      [{ kind: 'found' }, entries],
      [{ kind: 'missing' }, cache.missing],
    ],
    hoplet_name_cache_bytes: cache.bytes,
    hoplet_name_cache_hits_total: cache.hits,
    hoplet_name_cache_misses_total: cache.misses,
    hoplet_name_cache_invalidations_total: [
      [{ scope: 'one' }, cache.changes],
      [{ scope: 'all' }, cache.flushes],
    ],
    hoplet_name_lookups_total: lookups,
    hoplet_clicks_adopted_total: visits.status().clicks.adopted,
    ...(await clickMetrics(visits)),
  }
}

async function clickMetrics(visits: Context['visits']): Promise<Readings> {
  // The answer brings the status of this moment.
  const waitingClicks = sumOf(await visits.waiting())
  const { applied, corrupt, degraded, journalBytes, lost, orphaned, reserve } =
    visits.status().clicks
  const lag = visits.lag() ?? { segments: 0, waitingBytes: 0, oldestWaitingSeconds: null }
  return {
    hoplet_clicks_applied_total: applied,
    hoplet_clicks_orphaned_total: orphaned,
    hoplet_clicks_corrupt_total: corrupt,
    hoplet_clicks_lost_total: lost,
    hoplet_journal_degraded: degraded,
    hoplet_journal_bytes: journalBytes,
    hoplet_journal_reserve_bytes: [
      [{ state: 'ready' }, reserve.ready],
      [{ state: 'missing' }, reserve.missing],
    ],
    hoplet_journal_segments: lag.segments,
    hoplet_journal_waiting_bytes: lag.waitingBytes,
    hoplet_journal_waiting_clicks: waitingClicks,
    hoplet_journal_oldest_waiting_seconds: lag.oldestWaitingSeconds ?? 0,
    ...streamMetrics(visits),
  }
}

const noStream = {
  isTakenOver: false,
  takeovers: 0,
  published: 0,
  missingBytes: 0,
  waitingMessages: 0,
}

/** All are 0 unless CLICK_LOG names a stream. */
function streamMetrics(visits: Context['visits']): Readings {
  const stream = visits.measures().clickStream ?? noStream
  return {
    hoplet_click_stream_taken_over: stream.isTakenOver,
    hoplet_click_stream_takeovers_total: stream.takeovers,
    hoplet_click_stream_published_total: stream.published,
    hoplet_click_stream_waiting_messages: stream.waitingMessages,
    hoplet_click_stream_missing_bytes_total: stream.missingBytes,
  }
}

function sumOf(waiting: Awaited<ReturnType<Context['visits']['waiting']>>): number | undefined {
  return waiting && [...waiting.values()].reduce((sum, { count }) => sum + count, 0)
}
