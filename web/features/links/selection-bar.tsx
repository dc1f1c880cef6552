import { Archive, ArchiveRestore, Tag, Trash2 } from 'lucide-react'
import type { LinkRow } from '#web/database.ts'
import { Button } from '#web/ui/button.tsx'
import { useArchiveLinks } from './archive-links.ts'

interface SelectionBarProps {
  links: readonly LinkRow[]
  onTag: () => void
  onArchived: () => void
  onDelete: () => void
  onClear: () => void
}

/** Actions on the selected rows; stays in sight while the list scrolls. */
export function SelectionBar(props: SelectionBarProps) {
  const { links, onTag, onArchived, onDelete, onClear } = props
  const archiveLinks = useArchiveLinks()
  // A list has archived links or others.
  const areArchived = links.every(({ archived_at }) => archived_at !== null)
  const ArchiveIcon = areArchived ? ArchiveRestore : Archive
  return (
    <section
      aria-label="Selected links"
      data-bottom-bar
      className="sticky bottom-4 z-[5] mx-auto mt-4 flex w-fit max-w-full animate-appear items-center gap-2 rounded-2xl border border-line bg-surface p-2 shadow-lift max-rail:bottom-[4.5rem]"
    >
      <output className="px-2 text-sm font-medium whitespace-nowrap tabular-nums">
        {links.length} selected
      </output>
      <Button size="small" onClick={onTag}>
        <Tag size={16} aria-hidden />
        <span className="max-sm:sr-only">Tag</span>
      </Button>
      <Button
        size="small"
        onClick={() => {
          archiveLinks(
            links.map(({ id }) => id),
            !areArchived,
          )
          onArchived()
        }}
      >
        <ArchiveIcon size={16} aria-hidden />
        <span className="max-sm:sr-only">{areArchived ? 'Unarchive' : 'Archive'}</span>
      </Button>
      <Button size="small" look="danger" onClick={onDelete}>
        <Trash2 size={16} aria-hidden />
        <span className="max-sm:sr-only">Delete</span>
      </Button>
      <Button size="small" look="quiet" onClick={onClear}>
        Clear
      </Button>
    </section>
  )
}
