import { connectionTexts } from '#domain/texts/session-texts.ts'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { useLazyPart } from '#web/ui/hooks/use-lazy-part.ts'
import type { OptionPanelProps } from './option-panel.tsx'

const loadOptionPanel = async () => (await import('./option-panel.tsx')).OptionPanel

/** A part of the options of a link; their script comes when the first part is opened. */
export function LazyOptionPanel(props: OptionPanelProps) {
  const { Part: OptionPanel, hasFailed, retry } = useLazyPart(true, loadOptionPanel)
  if (OptionPanel !== undefined) return <OptionPanel {...props} />
  if (hasFailed) return <FailedLine retry={retry}>{connectionTexts.partFailed}</FailedLine>
  return (
    <output
      className="block h-60 animate-pulse rounded-xl bg-sunken"
      aria-label="Loading the options"
    />
  )
}
