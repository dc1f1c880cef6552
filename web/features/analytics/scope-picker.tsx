import { useQuery } from '@tanstack/react-query'
import { ChevronsUpDown } from 'lucide-react'
import { useState } from 'react'
import type { ReportScope } from '#web/clicks/report.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { lazyPart } from '#web/app/lazy-part.tsx'
import { scopeNameQuery } from './scope-queries.ts'

const ScopeList = lazyPart(
  async () => (await import('./scope-list.tsx')).ScopeList,
  <div className="h-80" />,
)

interface ScopePickerProps {
  userId: string
  about: ReportScope
  onPick: (about: ReportScope) => void
}

/** Scope of the report: the account, or one of its links and pages. */
export function ScopePicker({ userId, about, onPick }: ScopePickerProps) {
  const [isOpen, setOpen] = useState(false)
  const { data: name } = useQuery(scopeNameQuery(userId, about))
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className={`${buttonClass('plain', 'small')} min-w-36 max-w-full shrink! justify-between!`}
      >
        <span className="sr-only">Analytics of </span>
        <bdi className={`min-w-0 truncate ${name?.startsWith('/') === true ? 'font-mono' : ''}`}>
          {name === undefined ? '…' : (name ?? 'Not found')}
        </bdi>
        <ChevronsUpDown size={15} aria-hidden className="shrink-0 text-ink-faint" />
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Scope" shape="palette">
        <ScopeList
          userId={userId}
          onPick={(picked) => {
            setOpen(false)
            onPick(picked)
          }}
        />
      </Dialog>
    </>
  )
}
