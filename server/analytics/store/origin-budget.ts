import { LRUCache } from 'lru-cache'
import { maxNewSources } from '#domain/reports/hits.ts'
import type { Hit } from '../hits/classify.ts'

const oneDayMs = 86_400_000
const maxKnown = 50_000
/** Maximum of new sources that one visitor may add a day: the rest stays for the others. */
const maxNewOriginsOfVisitor = 20

/** Counts the new origins of each account and day, and of each of its visitors. `onUsedUp` is called once per account and day. */
export function createOriginBudget(onUsedUp: (account: number) => void) {
  const known = new Set<string>()
  const spent = new Map<number, number>()
  const spentByVisitor = new LRUCache<string, number>({ max: 100_000 })
  let day = 0

  const take = ({ scope: { account }, visitor }: Hit): boolean => {
    const key = `${account} ${visitor}`
    const ofVisitor = spentByVisitor.get(key) ?? 0
    const ofAccount = spent.get(account) ?? 0
    if (ofVisitor >= maxNewOriginsOfVisitor || ofAccount > maxNewSources) return false
    spentByVisitor.set(key, ofVisitor + 1)
    spent.set(account, ofAccount + 1)
    if (ofAccount === maxNewSources) onUsedUp(account)
    return ofAccount < maxNewSources
  }
  return {
    /** Whether an origin may be stored: new ones as far as the budget of the hit's account and visitor goes. */
    mayKeep(origin: string, hit: Hit): boolean {
      const today = Math.floor(Date.now() / oneDayMs)
      if (today !== day) for (const each of [known, spent, spentByVisitor]) each.clear()
      day = today
      if (known.has(origin)) return true
      if (!take(hit)) return false
      if (known.size >= maxKnown) known.clear()
      known.add(origin)
      return true
    },
  }
}
