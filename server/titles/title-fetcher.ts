import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { LeaseHeldError, withLease } from '../postgres/leases.ts'
import type { Listener } from '../postgres/listen.ts'
import { queryAs } from '../postgres/rows.ts'
import { createCounts } from '../primitives/counts.ts'
import type { getFromEndpoint } from '../webhooks/post.ts'
import { readPageTitle } from './page-title.ts'

/** Names each new link without a title, as `<owner>:<link>` (app.notify_link in database/code/07_links.sql). */
export const untitledChannel = 'hoplet_untitled'

interface TitleFetcherDeps {
  database: Database
  listener: Listener
  log: Logger
  getPublic: typeof getFromEndpoint
  version: string
}

/** Pages read at once; links are spread over the lanes by their id. */
const lanes = 4
const maxWaitingPerLane = 250
const timeoutMs = 2_000
const leaseSeconds = 10

/**
 * Reads the page of each new link that the listener hears of, once, after the commit, and stores its title as the owner.
 * Links wait in memory: those of a server that stops, and those beyond 1,000, get none.
 */
export function startTitleFetcher(deps: TitleFetcherDeps) {
  const { listener, log } = deps
  const outcomes = createCounts(['stored', 'none', 'failed', 'dropped'])
  const fetchOne = async (link: string) => {
    try {
      outcomes.add(await fetchTitle(deps, link))
    } catch (error) {
      outcomes.add('failed')
      log.warn({ err: error }, 'a title was not fetched')
    }
  }
  const all = Array.from({ length: lanes }, (_, at) => createLane(deps, `titles:${at}`, fetchOne))
  listener.on(
    untitledChannel,
    (link) => {
      const lane = all[Number.parseInt(link.at(-1) ?? '', 16) % lanes]
      if (lane?.add(link) === false) outcomes.add('dropped')
    },
    () => {},
  )
  return {
    outcomes,
    /** Waits for the pages in progress. */
    close: async () => {
      await Promise.all(all.map((lane) => lane.close()))
    },
  }
}

/**
 * A queue of links; one of the servers of a database reads their pages, one after another. Owners take turns, and where there is
 * no room for a link, the owner with the most loses one: slow pages of one account keep no other waiting for long.
 */
function createLane(
  { database, log }: TitleFetcherDeps,
  name: string,
  fetchOne: (link: string) => Promise<void>,
) {
  const waiting = new Map<string, Set<string>>()
  let running: Promise<void> | undefined
  let isClosed = false

  const run = async () => {
    try {
      await withLease(
        database,
        { name, role: 'hoplet_worker', seconds: leaseSeconds },
        async () => {
          for (const [owner, links] of waiting) {
            const [link = ''] = links
            links.delete(link)
            // More of them come after those of the others.
            waiting.delete(owner)
            if (links.size > 0) waiting.set(owner, links)
            await fetchOne(link)
          }
        },
      )
    } catch (error) {
      // Every server heard of the same links: the holder reads them.
      waiting.clear()
      if (!(error instanceof LeaseHeldError)) log.warn({ err: error }, 'titles were not fetched')
    }
    running = undefined
    if (waiting.size > 0) start()
  }
  const start = () => {
    running ??= run()
  }
  return {
    /** @returns false when a link is left out, because it is full */
    add(link: string): boolean {
      if (isClosed) return false
      const [owner = ''] = link.split(':')
      const own = waiting.get(owner) ?? new Set()
      const all = [...waiting.values()].sort((a, b) => b.size - a.size)
      const isFull = all.reduce((sum, { size }) => sum + size, 0) >= maxWaitingPerLane
      const [longest = own] = all
      if (isFull) {
        if (longest.size <= own.size + 1) return false
        longest.delete([...longest].at(-1) ?? '')
      }
      waiting.set(owner, own.add(link))
      start()
      return !isFull
    },
    async close() {
      isClosed = true
      waiting.clear()
      await running
    },
  }
}

async function fetchTitle(
  { database, getPublic, version }: TitleFetcherDeps,
  link: string,
): Promise<'stored' | 'none' | 'failed'> {
  const [owner, id] = link.split(':')
  const asOwner = { role: 'authenticated', claims: { sub: owner } } as const
  const [found] = await queryAs<{ url: string }>(
    database,
    asOwner,
    'select original_url as url from api.shortened_urls where id = $1 and user_id = $2 and title is null',
    [id, owner],
  )
  if (!found) return 'none'
  const userAgent = `Hoplet-Title-Bot/${version}`
  const title = await readPageTitle(found.url, { getPublic, userAgent, timeoutMs })
  if (title === undefined) return 'failed'
  if (title === null) return 'none'
  const stored = await queryAs(
    database,
    asOwner,
    `update api.shortened_urls set title = $4
      where id = $1 and user_id = $2 and original_url = $3 and title is null returning id`,
    [id, owner, found.url, title],
  )
  return stored.length > 0 ? 'stored' : 'none'
}
