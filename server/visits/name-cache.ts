import { LRUCache } from 'lru-cache'
import type { Listener } from '../postgres/listen.ts'
import type { NameEntry } from './name-entry.ts'

/** What memory knows of a name. An `aging` entry may serve and should be read again in the background. */
export type CachedName =
  | { state: 'unknown' | 'missing' }
  | { state: 'fresh' | 'aging' | 'outdated'; entry: NameEntry }

/** Entries by name, outdated by notification (channel `hoplet_names`: a name, `popup:<id>`, or `*`), bounded in age and size. */
export interface NameCache {
  lookUp(name: string): CachedName
  /** The entry, outdated or not. */
  entryOf(name: string): NameEntry | undefined
  /** Tells that a name is being read, so that a change during the read is not missed. */
  startRead(name: string): PendingNameRead
  /** Keeps what was read, unless memory has something newer. Undefined: the read failed. */
  finishRead(read: PendingNameRead, entry: NameEntry | undefined): void
  /** As startRead and finishRead, for names of which memory has an entry: their changes are noted there. */
  keepRefreshed(name: string, entry: NameEntry, startedAt: number): void
  size(): number
}

export interface PendingNameRead {
  name: string
  startedAt: number
  /** When a change was heard of during the read: then what comes back may be old. */
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
  /** When a change was last heard of; from `loadedAt` on it makes the entry outdated. */
  changedAt: number
}

const never = Number.NEGATIVE_INFINITY
const maxMissingNames = 50_000
const maxChangedPopups = 10_000
const missingTtlMs = 5_000
/** While notifications are heard, this is for changes that send none (repairs by hand). */
const maxAgeMs = 600_000
const maxAgeUnheardMs = 5_000
/** From this part of the age on, an entry is read again before a visitor has to wait for it. */
const agingFrom = 0.75

export function createNameCache({ listener, isHeard, maxNames, now }: NameCacheDeps): NameCache {
  const slots = new LRUCache<string, Slot>({ max: maxNames })
  const missingSince = new LRUCache<string, number>({ max: maxMissingNames })
  const reads = new Map<string, PendingNameRead>()
  const popupChangedAt = new LRUCache<string, number>({ max: maxChangedPopups })
  /** Everything read before this moment may be old. */
  let heardSince = 0

  const outdateAll = () => {
    heardSince = now()
    missingSince.clear()
    popupChangedAt.clear()
  }
  const outdate = (payload: string) => {
    if (payload.startsWith('ping:')) return
    // A host or an account was blocked or unblocked: that may concern any name.
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
    // After a change during the read the entry is outdated, but still newer than what memory had.
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
        return { state: age > maxAge * agingFrom ? 'aging' : 'fresh', entry }
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
      // No longer in memory: it was evicted, or a visitor's read found it missing.
      if (slots.has(name)) keep(name, entry, startedAt, never)
    },
    size: () => slots.size,
  }
}
