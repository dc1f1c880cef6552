import { TagChip, TagDot } from './tags/tag-chip.tsx'
import { tagColorOf, type TagRow } from './tags/tags-query.ts'

interface RowTagsProps {
  names: readonly string[]
  known: readonly TagRow[]
  isPhone: boolean
}

const maxChips = 2
const maxDots = 4

/** The tags of a link in its row: phones have room for their colors only. */
export function RowTags({ names, known, isPhone }: RowTagsProps) {
  if (names.length === 0) return null
  if (isPhone)
    return (
      <span className="flex shrink-0 gap-1" title={names.join(', ')}>
        <span className="sr-only">Tags: {names.join(', ')}</span>
        {names.slice(0, maxDots).map((name) => (
          <TagDot key={name} color={tagColorOf(known, name)} />
        ))}
      </span>
    )
  const others = names.slice(maxChips)
  return (
    <span className="flex min-w-0 shrink-[2] items-center gap-1.5">
      <span className="sr-only">Tags: </span>
      {names.slice(0, maxChips).map((name) => (
        <TagChip key={name} name={name} color={tagColorOf(known, name)} />
      ))}
      {others.length === 0 ? null : (
        <span className="shrink-0 text-xs text-ink-faint" title={others.join(', ')}>
          <span aria-hidden>+{others.length}</span>
          <span className="sr-only">{others.join(', ')}</span>
        </span>
      )}
    </span>
  )
}
