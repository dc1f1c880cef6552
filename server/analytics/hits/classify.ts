import { LRUCache } from 'lru-cache'
import type { HitVerdict } from '#domain/reports/hits.ts'
import type { ClickColumns } from '../../visits/record/decode-clicks.ts'
import type { ClickDetails } from '../../visits/visitor/visitor-facts.ts'
import { type HitClient, clientOf } from './client-of.ts'
import { type Origin, originOf } from './origin-of.ts'
import type { Place } from './places.ts'
import { placementOf } from './placements.ts'
import { createBatchVerdicts, type VerdictDeps } from './batch-verdicts.ts'
import type { HitSource } from './verdicts.ts'

/** Scope and account of a target. */
export interface HitScope {
  scope: number
  account: number
  userId: string
  kind: string
}

/** A hit with everything that is known of it. */
export interface Hit {
  at: number
  visitor: number
  scope: HitScope
  verdict: HitVerdict
  source: HitSource
  client: HitClient
  place: Place
  origin: Origin
}

/**
 * Decides the verdicts of a batch. Hits of targets that were deleted before they had a scope are left out.
 *
 * @param scopes by the target's id, as the columns have it
 * @param known placements of the batch, of `scannedPlacements`
 */
export function classify(
  clicks: ClickColumns,
  scopes: ReadonlyMap<string, HitScope>,
  deps: VerdictDeps,
  known: ReadonlySet<string> = new Set(),
): { hits: Hit[]; remember(): void } {
  const verdicts = createBatchVerdicts(deps)
  const hits: Hit[] = []
  for (const [i, target] of clicks.targets.entries()) {
    const scope = scopes.get(target)
    if (!scope) continue
    const hit = describe(clicks, i, scope, known)
    const visit = { visitor: hit.visitor, scope: scope.scope, at: hit.at }
    hit.verdict = verdicts.of(hit.verdict, visit, scope.userId)
    hits.push(hit)
  }
  return { hits, remember: verdicts.remember }
}

function describe(
  clicks: ClickColumns,
  i: number,
  scope: HitScope,
  known: ReadonlySet<string>,
): Hit {
  const client = clientOf(
    clicks.userAgents[i] ?? '',
    clicks.verdicts[i] ?? 'counted',
    clicks.languages[i] ?? '',
  )
  const query = clicks.queries[i] ?? ''
  const placement = placementOf(clicks.targets[i] ?? '', query) ?? ''
  const origin = cachedOrigin(clicks.referrers[i] ?? '', query, {
    ...clicks.details[i],
    placement: known.has(placement) ? placement : '',
  })
  return {
    at: clicks.times[i] ?? 0,
    visitor: clicks.visitors[i] ?? 0,
    scope,
    verdict: client.verdict,
    source: scope.kind === 'bio_link' ? 'bio' : origin.source,
    client,
    place: places.memo(clicks.places[i] ?? ''),
    origin,
  }
}

// The same object for the same text: the store knows it again by its identity.
const places = new LRUCache<string, Place>({ max: 20_000, memoMethod: readPlace })
const origins = new LRUCache<string, Origin>({ max: 20_000 })

function readPlace(text: string): Place {
  const [country = '', region = '', city = ''] = text.split('\t')
  return { country, region, city }
}

function cachedOrigin(
  referrer: string,
  query: string,
  { rule = '', variant = '', placement = '' }: ClickDetails,
): Origin {
  const text = `${referrer}\n${query}\n${rule} ${variant} ${placement}`
  let origin = origins.get(text)
  if (!origin) origins.set(text, (origin = originOf(referrer, query, { rule, variant, placement })))
  return origin
}
