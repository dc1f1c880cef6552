import { LRUCache } from 'lru-cache'
import type { Logger } from '../log.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'
import type { Listener } from '../postgres/listen.ts'
import type { Breaker } from './breaker.ts'
import { type NameEntry, missing } from './name-entry.ts'
import { createEntryReader } from './batched-reader.ts'
import { createRefresher } from './refresh.ts'

/** Names to entries, from memory where possible. */
export interface Resolver {
  /** The entry if memory may answer, else undefined: then {@link load} it. */
  peek(name: string): NameEntry | undefined
  /** Asks the database, once for all who wait. Undefined: the name is not known and the database does not answer. */
  load(name: string): Promise<NameEntry | undefined>
  size(): number
}

/** Reads many names at once. `known` gives what memory has, so that it need not be made again. */
export type ReadEntries = (
  names: readonly string[],
  known: (name: string) => NameEntry | undefined,
) => Promise<Map<string, NameEntry>>

interface Parts {
  readAll: ReadEntries
  listener: Listener
  /** True while notifications are known to arrive. */
  isHeard: () => boolean
  breaker: Breaker
  log: Logger
  /** Milliseconds, monotonic. */
  now: () => number
}

interface Slot {
  entry: NameEntry
  loadedAt: number
  /** When a change was last heard of; from `loadedAt` on it makes the entry outdated. */
  changedAt: number
}

interface Flight {
  promise: Promise<NameEntry | undefined>
  startedAt: number
  /** The same: a change while it is being read, so that what comes back may be old. */
  changedAt: number
}

const never = Number.NEGATIVE_INFINITY

const maxEntries = 150_000
const maxMissing = 50_000
const maxFlights = 2_000
const missingFor = 5_000
/** While notifications are heard, this is for changes that send none (repairs by hand); else all hangs on the age. */
const ageLimit = 600_000
const ageLimitUnheard = 5_000
/** Busy entries are read again in the background before they are too old, so that nobody waits for it. */
const refreshAfter = 0.75
const patience = 800

/**
 * A cache over `readAll`: outdated by notification (channel `hoplet_names`: a name, `popup:<id>`, or `*`), bounded in age and
 * size, one query for any number of simultaneous visits. An outdated entry is read again before it answers; only when
 * the database fails, or takes longer than our patience, does what memory has go on serving.
 */
export function createResolver({ readAll, listener, isHeard, breaker, log, now }: Parts): Resolver {
  const slots = new LRUCache<string, Slot>({ max: maxEntries })
  const missingSince = new LRUCache<string, number>({ max: maxMissing })
  const flights = new Map<string, Flight>()
  const popupChangedAt = new LRUCache<string, number>({ max: 10_000 })
  const known = (name: string) => slots.get(name)?.entry
  const read = createEntryReader((names) => readAll(names, known))
  /** Everything read before this moment may be old. */
  let heardSince = 0

  const ageAll = () => {
    heardSince = now()
    missingSince.clear()
    popupChangedAt.clear()
  }
  const outdate = (payload: string) => {
    if (payload.startsWith('popup:')) {
      if (popupChangedAt.size === popupChangedAt.max) ageAll()
      popupChangedAt.set(payload.slice(6), now())
      return
    }
    // A host or a person was blocked or let go: that may concern any name.
    if (payload === '*') return ageAll()
    if (payload.startsWith('ping:')) return
    missingSince.delete(payload)
    const slot = slots.peek(payload)
    if (slot) slot.changedAt = now()
    const flight = flights.get(payload)
    if (flight) flight.changedAt = now()
  }
  listener.on('hoplet_names', outdate, ageAll)

  const isOutdated = ({ entry, loadedAt, changedAt }: Slot) =>
    loadedAt < heardSince ||
    changedAt >= loadedAt ||
    ((entry.kind === 'link' || entry.kind === 'bio') &&
      entry.popup !== undefined &&
      (popupChangedAt.get(entry.popup.id) ?? -1) >= loadedAt)

  /** Keeps what was read unless memory has something newer. A change on the way leaves it outdated, but still newer. */
  const keep = (
    name: string,
    entry: NameEntry,
    { startedAt, changedAt }: Omit<Flight, 'promise'>,
  ) => {
    const slot = slots.peek(name)
    if (slot && slot.loadedAt > startedAt) return
    const lastChange = Math.max(changedAt, slot?.changedAt ?? never)
    if (entry.kind === 'missing') {
      slots.delete(name)
      if (lastChange < startedAt && startedAt >= heardSince) missingSince.set(name, startedAt)
    } else {
      missingSince.delete(name)
      slots.set(name, { entry, loadedAt: startedAt, changedAt: lastChange })
    }
  }

  const failed = (error: unknown) => {
    breaker.failed()
    if (!(error instanceof DatabaseUnavailableError)) {
      log.error({ err: error }, 'looking up names failed')
    }
  }

  const fetchEntry = (name: string): Promise<NameEntry | undefined> => {
    const flight: Flight = {
      promise: Promise.resolve(undefined),
      startedAt: now(),
      changedAt: never,
    }
    const answered = read(name).then(
      (entry) => {
        flights.delete(name)
        breaker.succeeded()
        keep(name, entry, flight)
        return entry
      },
      (error: unknown) => {
        flights.delete(name)
        failed(error)
        return undefined
      },
    )
    flight.promise = orGiveUp(answered, patience, () => breaker.failed())
    flights.set(name, flight)
    return flight.promise
  }

  const refresh = createRefresher(async (names) => {
    if (!breaker.mayTry()) return
    const startedAt = now()
    try {
      const entries = await readAll(names, known)
      breaker.succeeded()
      for (const [name, entry] of entries) {
        // Gone from memory: it was pushed out, or somebody else found it missing.
        if (slots.has(name)) keep(name, entry, { startedAt, changedAt: never })
      }
    } catch (error) {
      failed(error)
    }
  })

  const load = async (name: string): Promise<NameEntry | undefined> => {
    const flight = flights.get(name)
    if (flight || (flights.size < maxFlights && breaker.mayTry())) {
      const entry = await (flight?.promise ?? fetchEntry(name))
      if (entry) return entry
    }
    return slots.get(name)?.entry
  }

  return {
    peek(name) {
      const slot = slots.get(name)
      if (slot) {
        const age = now() - slot.loadedAt
        const limit = isHeard() ? ageLimit : ageLimitUnheard
        if (age < limit && !isOutdated(slot)) {
          if (age > limit * refreshAfter) refresh(name)
          return slot.entry
        }
        if (!breaker.isOpen()) return undefined
        refresh(name)
        return slot.entry
      }
      const since = missingSince.get(name)
      return since !== undefined && now() - since < missingFor ? missing : undefined
    },
    load,
    size: () => slots.size,
  }
}

function orGiveUp<T>(
  work: Promise<T>,
  after: number,
  onGiveUp: () => void,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      onGiveUp()
      resolve(undefined)
    }, after)
    void work.then((result) => {
      clearTimeout(timer)
      resolve(result)
    })
  })
}
