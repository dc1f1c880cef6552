import type { ComponentType, ReactNode } from 'react'
import { connectionTexts } from '#domain/texts/session-texts.ts'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { useLazyPart } from '#web/ui/hooks/use-lazy-part.ts'

/**
 * A component with a script that is loaded when it is first drawn. `waiting` is drawn before; after a failure a line that
 * offers another try.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: ReactNode,
): ComponentType<Props> {
  let known: ComponentType<Props> | undefined
  const loadOnce = async () => (known ??= await load())
  return function LazyPart(props) {
    const { Part = known, hasFailed, retry } = useLazyPart(known === undefined, loadOnce)
    if (Part !== undefined) return <Part {...props} />
    if (hasFailed) return <FailedLine retry={retry}>{connectionTexts.partFailed}</FailedLine>
    return waiting
  }
}
