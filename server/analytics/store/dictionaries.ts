import { LRUCache } from 'lru-cache'
import { maxNewSources } from '#domain/hits.ts'
import type { Hit } from '../hits/classify.ts'
import type { Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'

/** Each number is asked for again once a day, so that the database knows that it is in use. */
const oneDayMs = 86_400_000
const maxKnown = 50_000
/** Of the new sources of a day, those that one visitor may add: the rest of the day's stays for the others. */
const maxNewOriginsOfVisitor = 20

/** The columns of each dictionary, in the order that its function takes them. */
const columnsOf = {
  clients: ({ client }: Hit) => [
    client.device,
    client.browser,
    client.system,
    client.language,
    client.bot,
  ],
  places: ({ place }: Hit) => [place.country, place.region, place.city],
  origins: ({ origin }: Hit) => [
    origin.host,
    origin.path === '' ? origin.host : origin.host + origin.path,
    origin.utm_source,
    origin.utm_medium,
    origin.utm_campaign,
    origin.utm_term,
    origin.utm_content,
  ],
} as const
type DictionaryName = keyof typeof columnsOf

type Known = Record<DictionaryName, Map<object, number>>

/** Hits that came with the same have the same object (hits/classify.ts). */
const parts = {
  clients: ({ client }: Hit): object => client,
  places: ({ place }: Hit): object => place,
  origins: ({ origin }: Hit): object => origin,
}

/** Turns client, place and origin of hits into the numbers of app.click_clients, app.click_places and app.click_origins. */
export function createDictionaries(database: Database, onOriginsUsedUp: (account: number) => void) {
  let known = { clients: new Map(), places: new Map(), origins: new Map() } as Known
  let day = 0
  const budget = createOriginBudget(onOriginsUsedUp)

  const clearWhenFull = () => {
    const today = Math.floor(Date.now() / oneDayMs)
    if (today === day && Object.values(known).every(({ size }) => size < maxKnown)) return
    known = { clients: new Map(), places: new Map(), origins: new Map() }
    day = today
  }

  const learn = async (name: DictionaryName, missing: ReadonlyMap<object, Hit>) => {
    const rows = [...missing.values()].map((hit) => columnsOf[name](hit))
    const [row] = await queryAs<{ numbers: number[] }>(
      database,
      { role: 'hoplet_visits', statementTimeout: 10_000 },
      `select app.click_${name}_of($1) as numbers`,
      [JSON.stringify(rows)],
    )
    for (const [i, key] of [...missing.keys()].entries()) known[name].set(key, row?.numbers[i] ?? 0)
  }

  const numbersOf = async (name: DictionaryName, hits: readonly Hit[]): Promise<number[]> => {
    const numbers = known[name]
    const partOf = parts[name]
    const missing = new Map<object, Hit>()
    for (const hit of hits) {
      const key = partOf(hit)
      if (numbers.has(key) || missing.has(key)) continue
      if (columnsOf[name](hit).every((text) => text === '')) numbers.set(key, 0)
      else if (name !== 'origins' || budget.take(hit.scope.account, hit.visitor))
        missing.set(key, hit)
    }
    if (missing.size > 0) await learn(name, missing)
    return hits.map((hit) => numbers.get(partOf(hit)) ?? 0)
  }

  return {
    async codesOf(hits: readonly Hit[]) {
      clearWhenFull()
      return {
        clients: await numbersOf('clients', hits),
        places: await numbersOf('places', hits),
        origins: await numbersOf('origins', hits),
      }
    },
  }
}

/** Counts the new origins of each account and day, and of each of its visitors. `onUsedUp` is called once per account and day. */
function createOriginBudget(onUsedUp: (account: number) => void) {
  let spent = new Map<number, number>()
  const spentByVisitor = new LRUCache<string, number>({ max: 100_000 })
  let day = 0
  return {
    take(account: number, visitor: number): boolean {
      const today = Math.floor(Date.now() / oneDayMs)
      if (today !== day) {
        spent = new Map()
        spentByVisitor.clear()
      }
      day = today
      const key = `${account} ${visitor}`
      const ofVisitor = spentByVisitor.get(key) ?? 0
      const ofAccount = spent.get(account) ?? 0
      if (ofVisitor >= maxNewOriginsOfVisitor || ofAccount > maxNewSources) return false
      spentByVisitor.set(key, ofVisitor + 1)
      spent.set(account, ofAccount + 1)
      if (ofAccount === maxNewSources) onUsedUp(account)
      return ofAccount < maxNewSources
    },
  }
}
