import { useRef } from 'react'

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
      last.current = isRetry && last.current ? last.current : { key: newKey(), of }
      return { key: last.current.key, isRetry }
    },
    settle(): void {
      last.current = undefined
    },
  }
}

// crypto.randomUUID is missing on pages that are served over plain http.
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte, index) =>
    (index === 6 ? (byte & 15) | 64 : index === 8 ? (byte & 63) | 128 : byte)
      .toString(16)
      .padStart(2, '0'),
  ).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
