import { TagChip, TagDot } from '#web/tags/tag-chip.tsx'
import { tagColorOf, type TagRow } from '#web/api/tags-query.ts'

interface RowTagsProps {
  names: readonly string[]
  known: readonly TagRow[]
  /** Names; otherwise their colors only. */
  areChips?: boolean
  className?: string
}

const maxChips = 2
const maxDots = 4

/** The tags of a link in its row: where there is little room, their colors only. */
export function RowTags({ names, known, areChips = false, className = '' }: RowTagsProps) {
  if (names.length === 0) return null
  const others = names.slice(maxChips)
  return (
    <span
      title={names.join(', ')}
      className={`flex items-center ${areChips ? 'min-w-24 gap-1.5' : 'shrink-0 gap-1'} ${className}`}
    >
      <span className="sr-only">Tags: {names.join(', ')}</span>
      {areChips ? (
        <span aria-hidden className="flex min-w-0 items-center gap-1.5 *:max-w-28">
          {names.slice(0, maxChips).map((name) => (
            <TagChip key={name} name={name} color={tagColorOf(known, name)} />
          ))}
          {others.length === 0 ? null : (
            <span className="shrink-0 text-xs text-ink-faint">+{others.length}</span>
          )}
        </span>
      ) : (
        names.slice(0, maxDots).map((name) => <TagDot key={name} color={tagColorOf(known, name)} />)
      )}
    </span>
  )
}
