import type { ReactNode } from 'react'

interface RowHeadProps {
  icon?: ReactNode
  title: string
  /** Below the title. */
  note: string
  /** The title stands for one that was not typed yet, or for something that visitors do not see. */
  isFaint?: boolean
}

/** Summary of a folded row, in two lines that are cut at their end. */
export function RowHead({ icon, title, note, isFaint = false }: RowHeadProps) {
  return (
    <>
      {icon}
      <span className="grid min-w-0 grow">
        <span
          dir="auto"
          className={`truncate text-sm font-medium ${isFaint ? 'text-ink-faint' : ''}`}
        >
          {title}
        </span>
        <span className="truncate text-xs text-ink-faint">{note}</span>
      </span>
    </>
  )
}
