import { Tags } from 'lucide-react'
import { IconButton } from '#web/ui/button.tsx'
import type { TagRow } from './tags/tags-query.ts'

interface TagFilterProps {
  tags: readonly TagRow[]
  chosen: string | undefined
  onChoose: (tag: string | undefined) => void
  onManage: () => void
}

/** Narrows the list to a tag, and leads to the names and colors of tags. */
export function TagFilter({ tags, chosen, onChoose, onManage }: TagFilterProps) {
  if (tags.length === 0 && chosen === undefined) return null
  const isUnknown = chosen !== undefined && !tags.some(({ name }) => name === chosen)
  return (
    <span className="flex shrink-0 items-center">
      <select
        aria-label="Tag"
        value={chosen ?? ''}
        onChange={({ target }) => onChoose(target.value === '' ? undefined : target.value)}
        className={
          'h-9 max-w-40 rounded-full border pr-1.5 pl-3 text-sm transition-colors duration-150 pointer-coarse:h-11 ' +
          (chosen === undefined
            ? 'border-line bg-transparent text-ink-soft hover:border-edge hover:text-ink'
            : 'border-ink bg-ink text-paper')
        }
      >
        <option value="">Any tag</option>
        {isUnknown ? <option value={chosen}>{chosen}</option> : null}
        {tags.map(({ id, name }) => (
          <option key={id} value={name}>
            {name}
          </option>
        ))}
      </select>
      <IconButton
        label="Manage tags"
        onClick={onManage}
        className="size-9! pointer-coarse:size-11!"
      >
        <Tags size={17} aria-hidden />
      </IconButton>
    </span>
  )
}
