import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import type { Verdict } from './system-status.ts'
import { Tag } from '../tag.tsx'

const looks = {
  ok: { word: 'OK', tone: 'good', Icon: CircleCheck },
  warning: { word: 'Warning', tone: 'accent', Icon: TriangleAlert },
  failed: { word: 'Failed', tone: 'danger', Icon: CircleX },
} as const

/** How a part of the server is, in a word; the color only repeats it. */
export function VerdictTag({ verdict }: { verdict: Verdict }) {
  const { word, tone, Icon } = looks[verdict]
  return (
    <Tag tone={tone}>
      <Icon size={14} aria-hidden />
      {word}
    </Tag>
  )
}
