import type { ReactNode } from 'react'

type Tone = 'plain' | 'accent' | 'danger' | 'good'

const tones: Record<Tone, string> = {
  plain: 'border-line text-ink-soft',
  accent: 'border-transparent bg-accent-wash text-accent-text',
  danger: 'border-transparent bg-danger-wash text-danger',
  good: 'border-line text-good',
}

/** A word about the state of a row. */
export function Tag({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 justify-self-start rounded-full border px-2.5 py-0.5 text-sm font-medium whitespace-nowrap ${tones[tone]}`}
    >
      {children}
    </span>
  )
}
