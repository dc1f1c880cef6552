import { LRUCache } from 'lru-cache'
import type { Listener } from '../postgres/listen.ts'
import type { NameEntry } from './name-entry.ts'

/** What memory knows about a name. An `aging` entry is still valid and should be read again in the background. */
export type CachedName =
  | { state: 'unknown' | 'missing' }
  | { state: 'fresh' | 'aging' | 'outdated'; entry: NameEntry }

/** Entries by name, limited in age and number. Notifications on `hoplet_names` (a name, `popup:<id>` or `*`) outdate them. */
export interface NameCache {
  lookUp(name: string): CachedName
  /** The entry, outdated or not. */
  entryOf(name: string): NameEntry | undefined
  /** Registers a read, so that a change during the read is noticed. */
  startRead(name: string): PendingNameRead
  /** Stores the entry, unless memory has a newer one. Undefined: the read failed. */
  finishRead(read: PendingNameRead, entry: NameEntry | undefined): void
  /** Stores an entry that was read in the background, if memory still has one of that name. */
  keepRefreshed(name: string, entry: NameEntry, startedAt: number): void
  size(): number
}

export interface PendingNameRead {
  name: string
  startedAt: number
  /** The time of a change during the read, after which the result may be outdated. */
  changedAt: number
}

interface NameCacheDeps {
  listener: Listener
  /** True while notifications are known to arrive. */
  isHeard: () => boolean
  maxNames: number
  /** Milliseconds, monotonic. */
  now: () => number
}

interface Slot {
  entry: NameEntry
  loadedAt: number
  /** The time of the last known change. The entry is outdated if it is not before `loadedAt`. */
  changedAt: number
}

const never = Number.NEGATIVE_INFINITY
const maxMissingNames = 50_000
const maxChangedPopups = 10_000
const missingTtlMs = 5_000
/** Limits the age even while notifications arrive, because manual repairs may send none. */
const maxAgeMs = 600_000
const maxAgeUnheardMs = 5_000
/** From this fraction of its maximum age, an entry is read again in the background. */
const agingFraction = 0.75

export function createNameCache({ listener, isHeard, maxNames, now }: NameCacheDeps): NameCache {
  const slots = new LRUCache<string, Slot>({ max: maxNames })
  const missingSince = new LRUCache<string, number>({ max: maxMissingNames })
  const reads = new Map<string, PendingNameRead>()
  const popupChangedAt = new LRUCache<string, number>({ max: maxChangedPopups })
  /** Entries that were read before this time may be outdated. */
  let heardSince = 0

  const outdateAll = () => {
    heardSince = now()
    missingSince.clear()
    popupChangedAt.clear()
  }
  const outdate = (payload: string) => {
    if (payload.startsWith('ping:')) return
    // A host or an account was blocked or unblocked, which may affect any name.
    if (payload === '*') return outdateAll()
    if (payload.startsWith('popup:')) {
      if (popupChangedAt.size === maxChangedPopups) outdateAll()
      popupChangedAt.set(payload.slice('popup:'.length), now())
      return
    }
    missingSince.delete(payload)
    for (const noted of [slots.peek(payload), reads.get(payload)]) {
      if (noted) noted.changedAt = now()
    }
  }
  listener.on('hoplet_names', outdate, outdateAll)

  const isOutdated = ({ entry, loadedAt, changedAt }: Slot) =>
    loadedAt < heardSince ||
    changedAt >= loadedAt ||
    ('popup' in entry &&
      entry.popup !== undefined &&
      (popupChangedAt.get(entry.popup.id) ?? never) >= loadedAt)

  const keep = (name: string, entry: NameEntry, startedAt: number, changedAt: number) => {
    const slot = slots.peek(name)
    if (slot && slot.loadedAt > startedAt) return
    // After a change during the read the entry is outdated, but newer than the one in memory.
    const lastChange = Math.max(changedAt, slot?.changedAt ?? never)
    if (entry.kind === 'missing') {
      slots.delete(name)
      if (lastChange < startedAt && startedAt >= heardSince) missingSince.set(name, startedAt)
    } else {
      missingSince.delete(name)
      slots.set(name, { entry, loadedAt: startedAt, changedAt: lastChange })
    }
  }

  return {
    lookUp(name) {
      const slot = slots.get(name)
      if (slot) {
        const { entry, loadedAt } = slot
        const age = now() - loadedAt
        const maxAge = isHeard() ? maxAgeMs : maxAgeUnheardMs
        if (age >= maxAge || isOutdated(slot)) return { state: 'outdated', entry }
        return { state: age > maxAge * agingFraction ? 'aging' : 'fresh', entry }
      }
      const since = missingSince.get(name)
      return { state: since !== undefined && now() - since < missingTtlMs ? 'missing' : 'unknown' }
    },
    entryOf: (name) => slots.get(name)?.entry,
    startRead(name) {
      const read = { name, startedAt: now(), changedAt: never }
      reads.set(name, read)
      return read
    },
    finishRead(read, entry) {
      if (reads.get(read.name) === read) reads.delete(read.name)
      if (entry) keep(read.name, entry, read.startedAt, read.changedAt)
    },
    keepRefreshed(name, entry, startedAt) {
      // If it is not in memory, it was evicted, or a visitor's read found it missing.
      if (slots.has(name)) keep(name, entry, startedAt, never)
    },
    size: () => slots.size,
  }
}
