import { TagChip, TagDot } from '../tags/tag-chip.tsx'
import { tagColorOf, type TagRow } from '#web/api/tags-query.ts'

interface RowTagsProps {
  names: readonly string[]
  known: readonly TagRow[]
  isPhone: boolean
}

const maxChips = 2
const maxDots = 4

/** The tags of a link in its row: windows below 1280 px have room for their colors only. */
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
    <span className="flex shrink-0 items-center gap-1.5">
      <span className="sr-only">Tags: {names.join(', ')}</span>
      <span aria-hidden title={names.join(', ')} className="flex gap-1 xl:hidden">
        {names.slice(0, maxDots).map((name) => (
          <TagDot key={name} color={tagColorOf(known, name)} />
        ))}
      </span>
      <span aria-hidden className="flex items-center gap-1.5 *:max-w-28 max-xl:hidden">
        {names.slice(0, maxChips).map((name) => (
          <TagChip key={name} name={name} color={tagColorOf(known, name)} />
        ))}
        {others.length === 0 ? null : (
          <span className="text-xs text-ink-faint" title={others.join(', ')}>
            +{others.length}
          </span>
        )}
      </span>
    </span>
  )
}
