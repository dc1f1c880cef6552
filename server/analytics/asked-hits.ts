import pg from 'pg'
import * as z from 'zod'
import { hitFacts, reportScopes } from '#domain/reports/hits.ts'
import { HttpError, httpErrors } from '../http/errors.ts'
import type { Database } from '../postgres/database.ts'
import { onlyRowAs } from '../postgres/rows.ts'
import type { Person } from '../tokens/person.ts'
import { clickHits, type ClickHitsQuestion } from './reports/click-hits.ts'
import type { HitReaders } from './reports/hit-reader.ts'
import { replaceError } from '../primitives/caught-error.ts'

const timeoutMs = 5_000

/** Scope of a question: everything in an account (their own, unless an admin names another), or a part of it. */
export const askedScope = z.object({
  scope: z.enum(reportScopes, 'scope must be account, link, bio, bio_link or tag'),
  id: z.uuid('id must be a UUID').toLowerCase().optional(),
})
/** Streams of hits, which the database does not know by tag. */
export const liveQuery = askedScope.extend({
  scope: z
    .enum(reportScopes)
    .exclude(['tag'], 'scope must be account, link, bio or bio_link: a tag has no stream'),
})
export type AskedScope = z.output<typeof askedScope>

/** Kinds of hits besides those that count. */
export const hitKinds = ['repeats', 'own', 'bots'] as const
/** The same with hits of archives, which come only where they are asked for. */
export const allHitKinds = [...hitKinds, 'imported'] as const

/** Which hits, newest first. `from` is included, `to` is not. */
export interface HitWindow {
  from: Date
  to: Date
  include: readonly (typeof allHitKinds)[number][]
  /** The cursor of the hit before. */
  before?: string | undefined
  limit: number
}

/** Properties of a hit, one text each. */
export const hitTexts = ['at', 'kind', 'target', 'label', 'verdict', ...hitFacts, 'bot'] as const

/** A hit as `api.click_hits` returns it. Deleted targets have no label. */
export interface AskedHit extends Readonly<Record<(typeof hitTexts)[number], string | null>> {
  cursor: string
  utm: Readonly<Partial<Record<string, string>>>
}

interface Asking {
  database: Database
  person: Pick<Person, 'claims'>
  asked: AskedScope
}
interface AskedHitsDeps extends Asking {
  readers: Pick<HitReaders, 'with'>
  /** A replica that has caught up may answer. */
  mayUseReplica?: boolean
}

/**
 * Reads hits as the person, so that the database decides each time whether they may.
 *
 * @throws {HttpError | SessionEndedError | DatabaseUnavailableError}
 */
export async function askForHits(source: AskedHitsDeps, window: HitWindow): Promise<AskedHit[]> {
  const { readers, mayUseReplica = false } = source
  const question = await questionOf(source, window)
  const reader = readers.with({ timeoutMs, mayUseReplica })
  return (await clickHits(question, reader, undefined).catch(asRefusal)) as AskedHit[]
}

/** Whether the person may see these hits at all. @throws as {@link askForHits} */
export async function requireHits(source: Asking): Promise<void> {
  const now = new Date()
  await questionOf(source, { from: now, to: now, include: [], limit: 1 })
}

async function questionOf(
  { database, person: { claims }, asked }: Asking,
  { from, to, include, before, limit }: HitWindow,
): Promise<ClickHitsQuestion> {
  const values = [asked.scope, from, to, asked.id ?? null, '{}', include, before ?? null, limit]
  const { question } = await onlyRowAs<{ question: ClickHitsQuestion }>(
    database,
    { role: 'authenticated', claims, readOnly: true },
    'select api.click_hits($1, $2, $3, $4, $5, $6, $7, $8) as question',
    values,
  ).catch(asRefusal)
  return question
}

const asRefusal = replaceError(pg.DatabaseError, (error) => {
  if (error.code === '42501' && error.hint === 'plan') return new HttpError(403, error.message)
  return refusals.get(error.code)?.() ?? error
})

/** By SQLSTATE. */
const refusals = new Map<string | undefined, () => HttpError>([
  ['P0002', httpErrors.notFound],
  // It took too long.
  ['57014', () => httpErrors.unavailable()],
])
