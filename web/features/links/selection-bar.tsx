import { Trash2 } from 'lucide-react'
import { Button } from '#web/ui/button.tsx'

interface SelectionBarProps {
  count: number
  onDelete: () => void
  onClear: () => void
}

/** Actions on the selected rows; stays in sight while the list scrolls. */
export function SelectionBar({ count, onDelete, onClear }: SelectionBarProps) {
  return (
    <section
      aria-label="Selected links"
      data-bottom-bar
      className="sticky bottom-4 z-[5] mx-auto mt-4 flex w-fit max-w-full animate-appear items-center gap-2 rounded-2xl border border-line bg-surface p-2 shadow-lift max-rail:bottom-[4.5rem]"
    >
      <output className="px-2 text-sm font-medium whitespace-nowrap tabular-nums">
        {count} selected
      </output>
      <Button size="small" onClick={onClear}>
        Clear
      </Button>
      <Button size="small" look="danger" onClick={onDelete}>
        <Trash2 size={16} aria-hidden />
        Delete
      </Button>
    </section>
  )
}
