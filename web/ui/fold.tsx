import { ChevronDown } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { phone, useMedia } from './use-media.ts'

/** A part of a screen that phones show after a press on its name; where there is room, it is there from the start. */
export function Fold({ name, children }: { name: string; children: ReactNode }) {
  const isPhone = useMedia(phone)
  const [isOpen, setOpen] = useState(false)
  if (!isPhone) return children
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex h-12 items-center justify-between rounded-2xl border border-line bg-surface px-4 text-sm font-medium"
      >
        {name}
        <ChevronDown
          size={17}
          aria-hidden
          className={`text-ink-faint transition-transform duration-150 ${isOpen ? 'rotate-180' : ''}`}
        />
      </button>
      {isOpen ? children : null}
    </div>
  )
}
