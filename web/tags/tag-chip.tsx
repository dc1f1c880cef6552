import type { ReactNode } from 'react'

interface TagChipProps {
  name: string
  /** As #rrggbb; undefined while it is not known, and for a tag that is still to be made. */
  color: string | undefined
  /** Behind the name. */
  children?: ReactNode
}

/** A tag: its name is always there, because a color alone says nothing. */
export function TagChip({ name, color, children }: TagChipProps) {
  return (
    <span className="inline-flex min-h-6 max-w-full min-w-0 items-center gap-1.5 rounded-full border border-line bg-surface px-2 text-xs text-ink-soft">
      <TagDot color={color} />
      <bdi className="truncate">{name}</bdi>
      {children}
    </span>
  )
}

export function TagDot({ color }: Pick<TagChipProps, 'color'>) {
  return (
    <span
      aria-hidden
      className={`size-2 shrink-0 rounded-full ${color === undefined ? 'border border-ink-faint' : ''}`}
      style={{ backgroundColor: color }}
    />
  )
}
