import { LRUCache } from 'lru-cache'
import type { HitVerdict } from '#domain/hits.ts'
import type { ClickColumns } from '../../visits/click-record.ts'
import { type HitClient, clientOf } from './client-of.ts'
import { type Origin, originOf } from './origin-of.ts'
import type { Place } from './places.ts'
import { keyOf, type RecentVisits } from './recent-visits.ts'
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

interface ClassifierDeps {
  recent: RecentVisits
  /** Whether the visitor is the owner's own browser. */
  isOwn: (visitor: number, userId: string) => boolean
}

/**
 * Decides the verdicts of a batch. Hits of targets that were deleted before they had a scope are left out.
 *
 * @param scopes by the target's id, as the columns have it
 */
export function classify(
  clicks: ClickColumns,
  scopes: ReadonlyMap<string, HitScope>,
  { recent, isOwn }: ClassifierDeps,
): { hits: Hit[]; remember(): void } {
  const seen = new Map<number, Hit>()
  const hits: Hit[] = []
  for (const [i, target] of clicks.targets.entries()) {
    const scope = scopes.get(target)
    if (!scope) continue
    const hit = describe(clicks, i, scope)
    if (hit.verdict === 'counted' && hit.visitor !== 0) {
      const visit = { visitor: hit.visitor, scope: scope.scope, at: hit.at }
      const key = keyOf(visit)
      if (isOwn(hit.visitor, scope.userId)) hit.verdict = 'own'
      else {
        if (recent.isRepeat(visit, seen.get(key)?.at)) hit.verdict = 'repeat'
        seen.set(key, hit)
      }
    }
    hits.push(hit)
  }
  return {
    hits,
    remember() {
      for (const { visitor, scope, at } of seen.values())
        recent.remember({ visitor, scope: scope.scope, at })
    },
  }
}

function describe(clicks: ClickColumns, i: number, scope: HitScope): Hit {
  const client = clientOf(
    clicks.userAgents[i] ?? '',
    clicks.verdicts[i] ?? 'counted',
    clicks.languages[i] ?? '',
  )
  const origin = cachedOrigin(clicks.referrers[i] ?? '', clicks.queries[i] ?? '')
  return {
    at: clicks.times[i] ?? 0,
    visitor: clicks.visitors[i] ?? 0,
    scope,
    verdict: client.verdict,
    source: scope.kind === 'bio_link' ? 'bio' : origin.source,
    client,
    place: cachedPlace(clicks.places[i] ?? ''),
    origin,
  }
}

// The same object for the same text: the store knows it again by its identity.
const places = new LRUCache<string, Place>({ max: 20_000 })
const origins = new LRUCache<string, Origin>({ max: 20_000 })

function cachedPlace(text: string): Place {
  let place = places.get(text)
  if (!place) {
    const [country = '', region = '', city = ''] = text.split('\t')
    places.set(text, (place = { country, region, city }))
  }
  return place
}

function cachedOrigin(referrer: string, query: string): Origin {
  const text = `${referrer}\n${query}`
  let origin = origins.get(text)
  if (!origin) origins.set(text, (origin = originOf(referrer, query)))
  return origin
}
