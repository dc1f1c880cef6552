import { changeWords } from './change-words.ts'

interface ChangeTagProps {
  now: number
  before: number
  than: string
  /** Whether a rise is good news. */
  isGood?: boolean
  className?: string
}

/** +18% beside a figure. */
export function ChangeTag({ now, before, than, isGood = true, className = '' }: ChangeTagProps) {
  const { short, long, direction } = changeWords(now, before, than)
  return (
    <span
      title={long}
      className={`text-xs whitespace-nowrap tabular-nums ${direction === 'up' && isGood ? 'text-good' : 'text-ink-faint'} ${className}`}
    >
      <span aria-hidden>{short}</span>
      <span className="sr-only">{long}</span>
    </span>
  )
}
