import { type HitVerdict, reportVerdicts } from '#domain/reports/hits.ts'
import type { CountedKind } from '#domain/reports/report-answers.ts'
import type { FoundHit, HitsQuestion } from './question.ts'
import type { ReportReader } from './hit-reader.ts'

/** Question of `api.click_hits` (database/code/14_reports.sql). */
export interface ClickHitsQuestion extends Omit<HitsQuestion, 'verdicts'> {
  include: readonly CountedKind[]
}

const verdictOf: Readonly<Partial<Record<HitVerdict, CountedKind>>> = {
  repeat: 'repeats',
  own: 'own',
  imported: 'imported',
}

/** Single hits as docs/analytics.md describes them, the newest first. @param timeZone in which their times are written */
export async function clickHits(
  { include, ...question }: ClickHitsQuestion,
  reader: ReportReader,
  timeZone: string | undefined,
): Promise<object[]> {
  const wanted = new Set(include)
  const verdicts = reportVerdicts.filter(
    (verdict) => verdict === 'counted' || wanted.has(verdictOf[verdict] ?? 'bots'),
  )
  const hits = await reader.hits({ ...question, verdicts })
  if (hits.length === 0) return []
  const { times, targets } = await describe(hits, reader, timeZone)
  return hits.flatMap(({ at: _at, scope, ...facts }, index) => {
    const target = targets[scope]
    return target ? [{ ...facts, ...target, at: times[index] }] : []
  })
}

interface Described extends Record<string, unknown> {
  /** As the database writes them, with microseconds. */
  times: string[]
  /** By the numbers of their scopes. Deleted targets have no label. */
  targets: Readonly<Record<number, { kind: string; target: string; label: string | null }>>
}

async function describe(
  hits: readonly FoundHit[],
  { query }: Pick<ReportReader, 'query'>,
  timeZone: string | undefined,
): Promise<Described> {
  const [row] = await query<Described>(
    `select (select json_agg(timestamptz 'epoch' + t * interval '1 microsecond' order by n)
          from unnest($1::bigint[]) with ordinality u (t, n) where z.zone is not null) as times,
        (select coalesce(json_object_agg(s.id, json_build_object('kind', s.kind, 'target', s.ref, 'label', app.target_label(s.kind, s.ref))), '{}')
          from app.click_scopes s where s.id = any ($2)) as targets
      from (select set_config('timezone', coalesce($3, current_setting('timezone')), true) as zone offset 0) z`,
    [hits.map(({ at }) => at), [...new Set(hits.map(({ scope }) => scope))], timeZone ?? null],
  )
  return row ?? { times: [], targets: {} }
}
