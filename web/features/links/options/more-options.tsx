import { ChevronDown } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { connectionTexts } from '#domain/texts/session-texts.ts'
import { Button } from '#web/ui/button.tsx'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { useLazyPart } from '#web/ui/hooks/use-lazy-part.ts'
import type { OptionsFormProps } from './options-form.tsx'

const loadOptionsForm = async () => (await import('./options-form.tsx')).OptionsForm

interface MoreOptionsProps extends OptionsFormProps {
  isOpen: boolean
  onOpen: () => void
}

/** The options of a link, folded until they are asked for; their script comes then. */
export function MoreOptions({ isOpen, onOpen, ...form }: MoreOptionsProps) {
  const { Part: OptionsForm, hasFailed, retry } = useLazyPart(isOpen, loadOptionsForm)
  const wasOpen = useRef(isOpen)
  const block = useRef<HTMLDivElement>(null)
  // The button that was pressed has left.
  useEffect(() => {
    if (OptionsForm !== undefined && !wasOpen.current)
      block.current?.querySelector('input')?.focus()
  }, [OptionsForm])

  if (!isOpen)
    return (
      <Button look="quiet" className="-ml-3 justify-self-start px-3!" onClick={onOpen}>
        <ChevronDown size={17} aria-hidden />
        More options
      </Button>
    )
  if (OptionsForm !== undefined)
    return (
      <div ref={block}>
        <OptionsForm {...form} />
      </div>
    )
  if (hasFailed) return <FailedLine retry={retry}>{connectionTexts.partFailed}</FailedLine>
  return (
    <output
      className="block h-60 animate-pulse rounded-xl bg-sunken"
      aria-label="Loading the options"
    />
  )
}
