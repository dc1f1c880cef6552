import { LRUCache } from 'lru-cache'
import { classify, type HitScope } from '../hits/classify.ts'
import {
  actionScope,
  classifyPopups,
  type PopupEvent,
  popupLetters,
  splitClicks,
} from '../hits/popup-events.ts'
import { scannedPlacements } from '../hits/placements.ts'
import { createRecentVisits, type RecentVisits } from '../hits/recent-visits.ts'
import { hitVerdicts } from '../hits/verdicts.ts'
import type { ClickColumns } from '../../visits/record/decode-clicks.ts'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { onlyRow, queryAs, valueAs } from '../../postgres/rows.ts'
import { hitBatch } from './hit-batch.ts'
import { createOriginBudget } from './origin-budget.ts'
import { createOwnVisitors } from './own-visitors.ts'
import { type Incident, recordIncident } from '../incidents.ts'
import type { HitStore } from './store.ts'

interface PostgresStoreDeps {
  database: Database
  log: Logger
}

const caller = { role: 'hoplet_visits', statementTimeout: 10_000 } as const
const maxScopes = 200_000
/** After a start, the visits of the last half hour are read again, so that repeats stay repeats. */
const maxRecentVisits = 500_000
/** Between two notes of a replay: one that lasts is one. */
const replayNoteMs = 60_000

/** Hands hits to PostgreSQL, which keeps them (database/code/13_clicks.sql) or has them delivered to ClickHouse (17_clickhouse.sql). */
export function createPostgresStore({ database, log }: PostgresStoreDeps): HitStore {
  const note = (incident: Incident) =>
    recordIncident(database, incident).catch((error: unknown) =>
      log.debug(
        { err: error, kind: incident.kind },
        'an incident of the counting was not recorded',
      ),
    )
  const scopes = rememberScopes(database)
  const { mayKeep } = createOriginBudget((account) => void note({ kind: 'sources', account }))
  const own = createOwnVisitors(database)
  const recent = createRecentVisits()
  let started: Promise<void> | undefined
  let replayNotedAt = -Infinity

  /** A mark that no placement has is a scan like any other. */
  const readPlacements = async (visits: ClickColumns): Promise<ReadonlySet<string>> => {
    const { links, marks } = scannedPlacements(visits)
    if (links.length === 0) return new Set()
    const text = 'select k as key from app.known_placements($1, $2) k'
    const rows = await queryAs<{ key: string }>(database, caller, text, [links, marks])
    return new Set(rows.map(({ key }) => key))
  }

  return {
    recordReplay() {
      if (performance.now() - replayNotedAt < replayNoteMs) return
      replayNotedAt = performance.now()
      void note({ kind: 'replay' })
    },
    recordTakeover() {
      started = undefined
    },
    async prepare(clicks) {
      await (started ??= readRecentVisits(database, recent, log).catch((error: unknown) => {
        started = undefined
        throw error
      }))
      const [isOwn] = await Promise.all([own.read(), scopes.forgetMoved()])
      const { visits, ...split } = splitClicks(clicks)
      const surfaces = split.actions.map(({ surface }) => surface)
      const found = await scopes.read([...visits.targets, ...split.popups.targets, ...surfaces])
      const { hits, remember } = classify(
        visits,
        found,
        { recent, isOwn },
        await readPlacements(visits),
      )
      const popups = classifyPopups(split, found, { recent, isOwn })
      const batch = hitBatch(hits, mayKeep)
      const sent = visits.verdicts.filter((verdict) => verdict === 'counted').length
      return {
        async apply(db) {
          let counted = 0
          if (hits.length > 0) {
            const text = 'select app.apply_hits($1, $2, $3, $4) as counted'
            counted = Number((await onlyRow<{ counted: string }>(db, text, batch)).counted)
          }
          if (popups.events.length > 0)
            await db.query('select app.apply_popup_events($1)', [popupColumnsOf(popups.events)])
          return { counted, orphaned: sent - counted }
        },
        stored() {
          remember()
          popups.remember()
        },
      }
    },
  }
}

/** Remembers the scopes and accounts of targets. */
function rememberScopes(database: Database) {
  const scopes = new LRUCache<string, HitScope>({ max: maxScopes })
  let lastMove: string | undefined
  return {
    /** Forgets them after a link moved to another account. */
    async forgetMoved(): Promise<void> {
      const read = { ...caller, readOnly: true } as const
      const last = await valueAs<string>(database, read, 'select app.last_link_move()')
      if (last !== lastMove) scopes.clear()
      lastMove = last
    },
    async read(targets: readonly string[]): Promise<ReadonlyMap<string, HitScope>> {
      const found = new Map<string, HitScope>()
      const missing = new Set<string>()
      for (const target of targets) {
        const scope = scopes.get(target)
        if (scope) found.set(target, scope)
        else missing.add(target)
      }
      if (missing.size === 0) return found
      // Lines of text: reading thousands of rows would cost this process more than all else that it does for a hit.
      const text = 'select app.click_scope_lines($1)'
      const read = await valueAs<string>(database, caller, text, [[...missing].join('\n')])
      const lines = read?.split('\n') ?? []
      for (const [i, target] of [...missing].entries()) {
        const [scope, account, kind, userId] = lines[i]?.split(' ') ?? []
        if (!scope || !kind || !userId) continue
        const known = { scope: Number(scope), account: Number(account), kind, userId }
        scopes.set(target, known)
        found.set(target, known)
      }
      return found
    },
  }
}

async function readRecentVisits(
  database: Database,
  recent: RecentVisits,
  log: Logger,
): Promise<void> {
  const rows = await queryAs<{ visitor: string; scope: number; action: string | null; at: number }>(
    database,
    { ...caller, readOnly: true },
    'select * from app.recent_visits($1)',
    [maxRecentVisits],
  )
  for (const { visitor, scope, action, at } of rows.toSorted((a, b) => a.at - b.at))
    recent.remember({
      visitor: Number(visitor),
      scope: action === null ? scope : actionScope(scope, action),
      at,
    })
  log.debug({ visits: rows.length }, 'recent visits were read')
}

function popupColumnsOf(events: readonly PopupEvent[]): string[] {
  return [
    events.map(({ at }) => at),
    events.map(({ visitor }) => visitor),
    events.map(({ popup }) => popup.scope),
    events.map(({ surface }) => surface.scope),
    events.map(({ popup }) => popup.account),
    events.map(({ action }) => popupLetters[action]),
    events.map(({ verdict }) => hitVerdicts[verdict]),
  ].map((column) => column.join('\n'))
}
