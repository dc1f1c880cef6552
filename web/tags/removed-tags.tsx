import { tagColorOf } from '#web/api/tags-query.ts'
import { TagDot } from './tag-chip.tsx'
import type { KnownTag } from './tag-input.tsx'

interface RemovedTagsProps {
  /** For their colors. */
  known: readonly KnownTag[]
  present: readonly string[]
  removed: ReadonlySet<string>
  onChange: (removed: ReadonlySet<string>) => void
}

/** Tags that several rows have, to be removed from all of them. */
export function RemovedTags({ known, present, removed, onChange }: RemovedTagsProps) {
  if (present.length === 0) return null
  const haveColors = known.some(({ color }) => color !== undefined)
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm font-medium">Remove tags</legend>
      {present.map((name) => (
        <label key={name} className="flex min-h-11 cursor-pointer items-center gap-3">
          <input
            type="checkbox"
            checked={removed.has(name)}
            onChange={({ target }) =>
              onChange(
                target.checked
                  ? new Set([...removed, name])
                  : new Set([...removed].filter((other) => other !== name)),
              )
            }
            className="size-5 shrink-0 accent-ink"
          />
          {haveColors ? <TagDot color={tagColorOf(known, name)} /> : null}
          <bdi className="truncate">{name}</bdi>
        </label>
      ))}
    </fieldset>
  )
}
