import { useRef } from 'react'
import { randomUuid } from '#web/random-uuid.ts'

interface Attempt {
  key: string
  of: string
}

/**
 * The idempotency key of an attempt to create a link. A retry of the same link has the same key, so that it gets the link
 * of the first attempt when only the answer was lost.
 */
export function useAttemptKey() {
  const last = useRef<Attempt>(undefined)
  return {
    /** @returns `isRetry`: this very link was asked for before, without an answer that settles it */
    keyFor(
      url: string,
      customCode: string | null,
      options?: object,
    ): { key: string; isRetry: boolean } {
      const of = JSON.stringify([url, customCode, options])
      const isRetry = last.current?.of === of
      last.current = isRetry && last.current ? last.current : { key: randomUuid(), of }
      return { key: last.current.key, isRetry }
    },
    settle(): void {
      last.current = undefined
    },
  }
}
