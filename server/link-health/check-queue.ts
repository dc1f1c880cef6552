import type { Health } from './next-finding.ts'

export interface DueDestination extends Health {
  userId: string
  url: string
}

/** Checks of one account that run at once. */
const maxRunning = 2

/**
 * Destinations that wait for a check. Accounts take turns, so that many or slow ones of an account keep no other waiting for
 * long; those that an owner asked for come first.
 */
export function createCheckQueue() {
  const asked: DueDestination[] = []
  const accounts = new Map<string, { waiting: DueDestination[]; running: number }>()

  const takeFree = (list: DueDestination[], isFree: (hostname: string) => boolean) => {
    const at = list.findIndex(({ url }) => isFree(new URL(url).hostname))
    return at < 0 ? undefined : list.splice(at, 1)[0]
  }
  const next = (isFree: (hostname: string) => boolean) => {
    const first = takeFree(asked, isFree)
    if (first) return { due: first, done: () => {} }
    for (const [userId, account] of accounts) {
      if (account.running >= maxRunning) continue
      const due = takeFree(account.waiting, isFree)
      if (!due) continue
      account.running++
      accounts.delete(userId)
      accounts.set(userId, account)
      const done = () => {
        account.running--
        if (account.running + account.waiting.length === 0) accounts.delete(userId)
      }
      return { due, done }
    }
    return undefined
  }
  return {
    /** The next one with a free host, and the function that ends its check. */
    next,
    /** Accounts with destinations that wait or are being checked. */
    accounts: () => accounts.size,
    isEmpty: () => asked.length === 0 && accounts.size === 0,
    add(userId: string, waiting: DueDestination[]): void {
      if (waiting.length > 0) accounts.set(userId, { waiting, running: 0 })
    },
    addAsked(found: readonly DueDestination[]): void {
      for (const one of found)
        if (!asked.some(({ userId, url }) => userId === one.userId && url === one.url))
          asked.push(one)
    },
  }
}
