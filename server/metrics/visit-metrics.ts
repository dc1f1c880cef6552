import type { Context } from '../context.ts'
import { counter, type Family, gauge, histogram } from './families.ts'

export async function visitMetrics({ visits }: Pick<Context, 'visits'>): Promise<Family[]> {
  const { duration, inFastLane, outcomes, cache } = visits.measures()
  const { entries, lookups } = visits.status()
  return [
    counter(
      'hoplet_visits_total',
      'Visits, by what they came to.',
      outcomes.map(({ outcome, count }) => [{ outcome }, count]),
    ),
    counter('hoplet_visits_fast_lane_total', 'Visits answered on the bare socket.', inFastLane),
    histogram(
      'hoplet_visit_duration_seconds',
      'Time from reading a visit to its response, the click journal included.',
      [[{}, duration]],
    ),
    gauge(
      'hoplet_name_cache_entries',
      'Names in memory.',
      [
        [{ kind: 'found' }, entries],
        [{ kind: 'missing' }, cache.missing],
      ],
      'sum',
    ),
    gauge(
      'hoplet_name_cache_bytes',
      'Memory of these names, about, without the missing ones.',
      cache.bytes,
      'sum',
    ),
    counter(
      'hoplet_name_cache_hits_total',
      'Look-ups of names that memory answered. A visit may look twice.',
      cache.hits,
    ),
    counter(
      'hoplet_name_cache_misses_total',
      'Look-ups of names that memory did not hold, or held outdated.',
      cache.misses,
    ),
    counter('hoplet_name_cache_invalidations_total', 'Changes that outdated one name, or all.', [
      [{ scope: 'one' }, cache.changes],
      [{ scope: 'all' }, cache.flushes],
    ]),
    counter('hoplet_name_lookups_total', 'Queries that looked up names.', lookups),
    counter(
      'hoplet_clicks_adopted_total',
      'Clicks counted from the journals of servers that are gone.',
      visits.status().clicks.adopted,
      'max',
    ),
    ...(await clickMetrics(visits)),
  ]
}

async function clickMetrics(visits: Context['visits']): Promise<Family[]> {
  // The answer brings the status of this moment.
  const waitingClicks = sumOf(await visits.waiting())
  const { applied, corrupt, degraded, journalBytes, lost, orphaned, reserve } =
    visits.status().clicks
  const lag = visits.lag() ?? { segments: 0, waitingBytes: 0, oldestWaitingSeconds: null }
  return [
    // One place counts for all processes, and each of them knows its sums.
    counter('hoplet_clicks_applied_total', 'Clicks added to the database.', applied, 'max'),
    counter(
      'hoplet_clicks_orphaned_total',
      'Clicks on what was deleted meanwhile.',
      orphaned,
      'max',
    ),
    counter('hoplet_clicks_corrupt_total', 'Damaged or refused click records.', corrupt, 'max'),
    counter('hoplet_clicks_lost_total', 'Visits answered that could not be recorded.', lost, 'max'),
    gauge(
      'hoplet_journal_degraded',
      '1 while the click journal cannot be written and visitors wait for the database.',
      degraded,
    ),
    gauge(
      'hoplet_journal_bytes',
      'Size of the click journal, applied files included.',
      journalBytes,
    ),
    gauge(
      'hoplet_journal_reserve_bytes',
      'Written files for clicks on a full disk: those that are there, and those that the disk has no room for.',
      [
        [{ state: 'ready' }, reserve.ready],
        [{ state: 'missing' }, reserve.missing],
      ],
    ),
    gauge('hoplet_journal_segments', 'Files of the click journal.', lag.segments),
    gauge(
      'hoplet_journal_waiting_bytes',
      'Click records that are not in the database yet.',
      lag.waitingBytes,
    ),
    gauge(
      'hoplet_journal_waiting_clicks',
      'Clicks that are not in the database yet, counted in the first MiB that waits.',
      waitingClicks,
    ),
    gauge(
      'hoplet_journal_oldest_waiting_seconds',
      'Age of the oldest click that waits; 0 when none does.',
      lag.oldestWaitingSeconds ?? 0,
    ),
    ...streamMetrics(visits),
  ]
}

const noStream = {
  isTakenOver: false,
  takeovers: 0,
  published: 0,
  missingBytes: 0,
  waitingMessages: 0,
}

/** All are 0 unless CLICK_LOG names a stream. */
function streamMetrics(visits: Context['visits']): Family[] {
  const stream = visits.measures().clickStream ?? noStream
  return [
    gauge(
      'hoplet_click_stream_taken_over',
      '1 while the journal takes the clicks, because the click stream does not answer.',
      stream.isTakenOver,
    ),
    counter(
      'hoplet_click_stream_takeovers_total',
      'How often the journal took over from the click stream.',
      stream.takeovers,
    ),
    counter(
      'hoplet_click_stream_published_total',
      'Messages that the click stream acknowledged before their visits were answered.',
      stream.published,
    ),
    gauge(
      'hoplet_click_stream_waiting_messages',
      'Messages in the click stream that are not in the database yet.',
      stream.waitingMessages,
    ),
    counter(
      'hoplet_click_stream_missing_bytes_total',
      'Bytes of clicks that the click stream lost or deleted before they were counted.',
      stream.missingBytes,
      'max',
    ),
  ]
}

function sumOf(waiting: Awaited<ReturnType<Context['visits']['waiting']>>): number | undefined {
  return waiting && [...waiting.values()].reduce((sum, { count }) => sum + count, 0)
}
