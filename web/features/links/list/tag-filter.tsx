import { Tags, X } from 'lucide-react'
import { Allowed } from '#web/session/space/allowed.tsx'
import { IconButton } from '#web/ui/button.tsx'
import type { TagRow } from '#web/api/tags-query.ts'

interface TagFilterProps {
  tags: readonly TagRow[]
  /** Names: links with any of them. */
  chosen: readonly string[]
  onChoose: (tags: readonly string[]) => void
  onManage: () => void
}

/** Narrows the list to links with any of some tags, and leads to the names and colors of tags. */
export function TagFilter({ tags, chosen, onChoose, onManage }: TagFilterProps) {
  if (tags.length === 0 && chosen.length === 0) return null
  return (
    <span className="flex shrink-0 items-center max-rail:order-first">
      <select
        aria-label="Tag"
        value=""
        onChange={({ target }) => {
          if (target.value !== '') onChoose([...chosen, target.value])
        }}
        className="h-9 max-w-34 rounded-full border border-line bg-transparent pr-1.5 pl-3 text-sm text-ink-soft transition-colors duration-150 hover:border-edge hover:text-ink pointer-coarse:h-11"
      >
        <option value="">{chosen.length === 0 ? 'Any tag' : 'Add tag'}</option>
        {tags
          .filter(({ name }) => !chosen.includes(name))
          .map(({ id, name }) => (
            <option key={id} value={name}>
              {name}
            </option>
          ))}
      </select>
      {chosen.map((name) => (
        <button
          key={name}
          type="button"
          aria-label={`Remove tag ${name}`}
          onClick={() => onChoose(chosen.filter((other) => other !== name))}
          className="ml-1.5 flex h-9 max-w-40 items-center gap-1.5 rounded-full border border-ink bg-ink pr-2.5 pl-3 text-sm text-paper pointer-coarse:h-11"
        >
          <bdi className="truncate">{name}</bdi>
          <X size={14} aria-hidden className="shrink-0" />
        </button>
      ))}
      <Allowed right="links:write">
        <IconButton
          label="Manage tags"
          onClick={onManage}
          className="size-9! pointer-coarse:size-11!"
        >
          <Tags size={17} aria-hidden />
        </IconButton>
      </Allowed>
    </span>
  )
}
