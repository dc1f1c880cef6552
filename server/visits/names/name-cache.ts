import type { Listener } from '../../postgres/listen.ts'
import type { NameEntry } from './name-entry.ts'
import { createLru } from '../../primitives/lru.ts'
import { createChangeTimes } from './change-times.ts'
import { sizeOfEntry } from './entry-size.ts'

/** Cached state of a name. An `aging` entry is still valid and should be read again in the background. */
export interface CachedName {
  state: 'fresh' | 'aging' | 'outdated'
  entry: NameEntry
}

export type NameCache = ReturnType<typeof createNameCache>

interface NameCacheDeps {
  listener: Listener
  /** True while notifications are known to arrive. */
  receivesNotifications: () => boolean
  /** Maximum for entries, without the missing ones. */
  maxBytes: number
  /** Milliseconds, monotonic. */
  now: () => number
}

interface Slot {
  entry: NameEntry
  readAt: number
}

const maxMissingNames = 50_000
const missingTtlMs = 5_000
/** Limits the age even while notifications arrive, because manual repairs may send none. */
const maxAgeMs = 600_000
const maxAgeUnheardMs = 5_000
/** From this fraction of its maximum age, an entry is read again in the background. */
const agingFraction = 0.75

/** Entries by name, limited in age and memory. Notifications on `hoplet_names` (a name, `popup:<id>` or `*`) outdate them. */
export function createNameCache({ listener, receivesNotifications, maxBytes, now }: NameCacheDeps) {
  const found = createLru<Slot>(maxBytes, { sizeOf: ({ entry }, name) => sizeOfEntry(entry, name) })
  // Apart from the others, so that trying out names does not push out entries.
  const missing = createLru<Slot>(maxMissingNames)
  /** Times of changes, by name and `popup:<id>`. An entry from an earlier read is outdated. */
  const changes = createChangeTimes()
  /** Entries that were read before this time may be outdated. */
  let heardSince = 0
  const counts = { hits: 0, misses: 0, changes: 0, flushes: 0 }

  const outdateAll = () => {
    heardSince = now()
    counts.flushes++
  }
  const outdate = (payload: string) => {
    if (payload.startsWith('ping:')) return
    // `*`: a host or an account was blocked or unblocked, which may affect any name.
    if (payload === '*') return outdateAll()
    counts.changes++
    changes.changed(payload, now())
  }
  listener.on('hoplet_names', outdate, outdateAll)

  const isOutdated = (name: string, { entry, readAt }: Slot) =>
    readAt < heardSince ||
    changes.changedSince(name, readAt) ||
    ('popup' in entry &&
      entry.popup !== undefined &&
      changes.changedSince(`popup:${entry.popup.id}`, readAt))

  return {
    lookUp(name: string): CachedName | undefined {
      const slot = found.get(name) ?? missing.get(name)
      if (!slot) {
        counts.misses++
        return undefined
      }
      const { entry, readAt } = slot
      const isMissing = entry.kind === 'missing'
      const age = now() - readAt
      const maxAge = isMissing ? missingTtlMs : receivesNotifications() ? maxAgeMs : maxAgeUnheardMs
      if (age >= maxAge || isOutdated(name, slot)) {
        counts.misses++
        return { state: 'outdated', entry }
      }
      counts.hits++
      return { state: age > maxAge * agingFraction && !isMissing ? 'aging' : 'fresh', entry }
    },
    /** The entry, outdated or not; undefined also for a name that is known to be missing. */
    entryOf: (name: string) => found.get(name)?.entry,
    /** Stores an entry, unless memory has a newer one. `readAt` is when its read started. */
    keep(name: string, entry: NameEntry, readAt: number): void {
      const known = found.peek(name) ?? missing.peek(name)
      if (known && known.readAt > readAt) return
      const [own, other] = entry.kind === 'missing' ? [missing, found] : [found, missing]
      own.set(name, { entry, readAt })
      other.delete(name)
    },
    /** Whether a change of this entry was heard of at `time` or later, or may have been missed. */
    changedSince: (name: string, entry: NameEntry, time: number): boolean =>
      isOutdated(name, { entry, readAt: time }),
    /** When the entry was read; undefined for one that is not in memory. */
    readAtOf: (name: string) => found.peek(name)?.readAt,
    /** Has the entry read again before it is used next, if the database answers. */
    outdate: (name: string) => changes.changed(name, now()),
    size: () => found.size,
    /**
     * Since the start. `misses`: look-ups that found nothing or something outdated. `changes`: notifications about names;
     * `flushes`: times when all entries became outdated. `bytes`: approximate size of the entries, without the missing ones.
     */
    counts: () => ({ ...counts, missing: missing.size, bytes: found.calculatedSize }),
  }
}
