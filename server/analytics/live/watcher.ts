import { HttpError } from '../../http/errors.ts'
import type { EventStream } from '../../http/event-stream.ts'
import type { Logger } from '../../log.ts'
import { type Database, DatabaseUnavailableError } from '../../postgres/database.ts'
import type { Person } from '../../tokens/person.ts'
import { type AskedHit, type AskedScope, hitKinds, askForHits, requireHits } from '../asked-hits.ts'
import type { HitReaders } from '../reports/hit-reader.ts'
import { sumOfCounts, mergeNews, type News } from './news.ts'

interface WatcherDeps {
  database: Database
  readers: Pick<HitReaders, 'with'>
  log: Logger
  person: Person
  asked: AskedScope
  stream: EventStream
}

export type Watcher = ReturnType<typeof createWatcher>

const maxHits = 30
/** So many hits that were sent are remembered, to send none twice. */
const maxSent = 1_000
/** Leaves time for the check itself: within 30 s of the last one it must be done. */
const checkAfterMs = 20_000
const maxUncheckedMs = 30_000
/** As tokens.ts allows. */
const skewSeconds = 60

/** One stream of hits: sends new ones, and checks again and again that it still may. */
export function createWatcher({ database, readers, log, person, asked, stream }: WatcherDeps) {
  const sent = new Set<string>()
  let received: News['counts'] = {}
  let waiting: News | undefined
  let checkedAt = performance.now()
  let isBusy = false

  const fresh = (hits: AskedHit[]) => {
    const unsent = hits.filter(({ cursor }) => !sent.has(cursor))
    for (const { cursor } of unsent) sent.add(cursor)
    for (const cursor of sent) {
      if (sent.size <= maxSent) break
      sent.delete(cursor)
    }
    return unsent
  }
  const say = async (news: News) => {
    const hits = await askForHits(
      { database, readers, person, asked },
      {
        from: new Date(Math.floor(news.first)),
        to: new Date(Math.floor(news.last) + 1),
        include: hitKinds,
        limit: maxHits,
      },
    )
    received = sumOfCounts(received, news.counts)
    stream.send('hits', { hits: fresh(hits), received })
  }
  const isExpired = () => Number(person.claims['exp']) + skewSeconds < Date.now() / 1_000

  return {
    /** The id of the watched target. */
    ref: asked.id ?? person.id,
    /** Account and person, as `hoplet_members` names a member. */
    member: `${person.id} ${person.personId}`,
    /** Makes a check of the rights due. */
    recheck(): void {
      checkedAt = -Infinity
    },
    add(news: News): void {
      waiting = waiting ? mergeNews(waiting, news) : news
    },
    isDue: (): boolean =>
      !isBusy && (waiting !== undefined || performance.now() - checkedAt > checkAfterMs),
    /** Sends waiting hits if the person may still have them; ends the stream if not. Never rejects. */
    async serve(): Promise<void> {
      const news = waiting
      waiting = undefined
      isBusy = true
      try {
        if (isExpired()) return stream.end('end', { reason: 'token' })
        await (news ? say(news) : requireHits({ database, person, asked }))
        checkedAt = performance.now()
      } catch (error) {
        if (!isTemporary(error)) return stream.end('end', { reason: 'access' })
        log.debug({ err: error }, 'live hits wait for the database')
        if (news) waiting = waiting ? mergeNews(news, waiting) : news
        if (performance.now() - checkedAt > maxUncheckedMs)
          stream.end('end', { reason: 'unavailable' })
      } finally {
        isBusy = false
      }
    },
    end: (reason: string) => stream.end('end', { reason }),
  }
}

/** The database does not respond; the person's rights are unknown. */
function isTemporary(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailableError || (error instanceof HttpError && error.status >= 500)
  )
}
