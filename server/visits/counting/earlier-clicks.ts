import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../log.ts'
import type { ClickSink } from './click-log.ts'
import type { NameCache } from '../names/name-cache.ts'
import type { NameEntry } from '../names/name-entry.ts'
import type { Resolver } from '../names/resolver.ts'

interface EarlierClicksDeps {
  cache: Pick<NameCache, 'outdate' | 'readAtOf'>
  sink: Pick<ClickSink, 'uncountedMs'>
  isDatabaseAnswering: () => boolean
  /** How long a visitor waits for the clicks. */
  lookupTimeoutMs: number
  log: Logger
  /** Milliseconds, monotonic. */
  now: () => number
}

const pollMs = 100
/** A minute in which the database answers: then something else is broken, and links do not stay off for it. */
const maxPolls = 600

/**
 * Finds entries as the resolver does, those of links with a maximum of clicks only with the clicks that earlier processes of
 * this server left behind: a process that was killed has accepted clicks that wait in the journal. Until they are counted,
 * which takes about a second, visitors of these links wait, and then get 503.
 */
export function afterEarlierClicks(
  resolver: Pick<Resolver, 'load' | 'peek'>,
  deps: EarlierClicksDeps,
) {
  const { cache, sink, isDatabaseAnswering, lookupTimeoutMs, log, now } = deps
  const startedAt = now()
  let countedAt: number | undefined
  let isClosed = false

  const areCounted = async () => {
    const askedAt = now()
    const uncountedMs = await sink.uncountedMs()
    return uncountedMs !== undefined && askedAt - uncountedMs >= startedAt
  }
  const count = async () => {
    for (let polls = 0; !isClosed && !(await areCounted());) {
      if (isDatabaseAnswering()) polls++
      if (polls > maxPolls) {
        log.warn('clicks of an earlier process still wait: links may exceed their maximum by them')
        break
      }
      await sleep(pollMs, undefined, { ref: false })
    }
    countedAt = now()
  }
  const counted = count()

  const has = (name: string, entry: NameEntry | undefined): boolean => {
    if (entry?.kind !== 'link' || entry.options?.maxClicks === undefined) return true
    if (countedAt === undefined) return false
    return (cache.readAtOf(name) ?? Number.NEGATIVE_INFINITY) >= countedAt
  }
  const reload = async (name: string): Promise<NameEntry | undefined> => {
    await Promise.race([counted, sleep(lookupTimeoutMs, undefined, { ref: false })])
    if (countedAt === undefined) return undefined
    cache.outdate(name)
    const entry = await resolver.load(name)
    return has(name, entry) ? entry : undefined
  }

  return {
    /** As the resolver's. */
    peek(name: string): NameEntry | undefined {
      const entry = resolver.peek(name)
      return has(name, entry) ? entry : undefined
    },
    /** As the resolver's. */
    async load(name: string): Promise<NameEntry | undefined> {
      const entry = await resolver.load(name)
      return has(name, entry) ? entry : reload(name)
    },
    close: () => void (isClosed = true),
  }
}
