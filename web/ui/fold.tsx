import { ChevronDown } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { phone, useMedia } from './hooks/use-media.ts'

/**
 * Content that a phone shows when it is asked for. Once shown it stays in the page, so that closing it or turning the phone
 * loses nothing; a window that becomes narrow keeps it open.
 */
export function Fold({ name, children }: { name: string; children: ReactNode }) {
  const isPhone = useMedia(phone)
  const [state, setState] = useState<'unseen' | 'open' | 'closed'>('unseen')
  if (!isPhone && state !== 'open') setState('open')
  const isOpen = state === 'open' || !isPhone
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
      {isPhone ? (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setState(isOpen ? 'closed' : 'open')}
          className="flex h-12 items-center justify-between rounded-2xl border border-line bg-surface px-4 text-sm font-medium"
        >
          {name}
          <ChevronDown
            size={17}
            aria-hidden
            className={`text-ink-faint transition-transform duration-150 ${isOpen ? 'rotate-180' : ''}`}
          />
        </button>
      ) : null}
      {isOpen || state !== 'unseen' ? (
        <div className={isOpen ? 'grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4' : 'hidden'}>
          {children}
        </div>
      ) : null}
    </div>
  )
}
