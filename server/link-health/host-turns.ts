import { setTimeout as sleep } from 'node:timers/promises'

/** Hosts in memory before those that are free again are left out. */
const maxHosts = 10_000

export type HostTurns = ReturnType<typeof createHostTurns>

/** Lets each host be asked once in a time, whoever asks. */
export function createHostTurns(intervalMs: number, signal: AbortSignal) {
  const freeAt = new Map<string, number>()
  return {
    isFree: (hostname: string) => (freeAt.get(hostname) ?? 0) <= performance.now(),
    /** Waits for the next turn of a host. @throws when the signal is aborted */
    async take(hostname: string): Promise<void> {
      const now = performance.now()
      if (freeAt.size >= maxHosts)
        for (const [host, at] of freeAt) if (at <= now) freeAt.delete(host)
      const at = Math.max(now, freeAt.get(hostname) ?? 0)
      freeAt.set(hostname, at + intervalMs)
      if (at > now) await sleep(at - now, undefined, { signal })
      signal.throwIfAborted()
    },
  }
}
