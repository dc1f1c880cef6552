import { type ComponentType, useEffect, useState } from 'react'

interface LazyPart<Props> {
  Part: ComponentType<Props> | undefined
  hasFailed: boolean
  retry: () => void
}

/** A part of a screen with a script that is loaded on demand. When it does not come, the screen around it stays. */
export function useLazyPart<Props>(
  isWanted: boolean,
  load: () => Promise<ComponentType<Props>>,
): LazyPart<Props> {
  const [part, setPart] = useState<{ Part: ComponentType<Props> }>()
  const [hasFailed, setFailed] = useState(false)
  const isLoading = isWanted && part === undefined && !hasFailed

  useEffect(() => {
    if (!isLoading) return
    load().then(
      (Part) => setPart({ Part }),
      () => setFailed(true),
    )
  }, [isLoading, load])

  return { Part: part?.Part, hasFailed, retry: () => setFailed(false) }
}
