import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from '#web/ui/button.tsx'

interface PagerProps {
  page: number
  pages: number
  onPage: (page: number) => void
}

/** One page on, one page back, and where one is. */
export function Pager({ page, pages, onPage }: PagerProps) {
  if (pages <= 1 && page === 1) return null
  return (
    <nav aria-label="Pages" className="mt-6 flex items-center justify-between gap-3">
      <Button size="small" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        <ChevronLeft size={16} aria-hidden />
        Previous
      </Button>
      <p aria-live="polite" className="text-sm text-ink-soft tabular-nums">
        Page {page} of {Math.max(pages, 1)}
      </p>
      <Button size="small" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        Next
        <ChevronRight size={16} aria-hidden />
      </Button>
    </nav>
  )
}
