import { initialOf } from '#public-pages/bio/avatar.tsx'

/** Dark enough for white letters. */
const colors = [
  'bg-[#a8430a]',
  'bg-[#2f6b3c]',
  'bg-[#33508f]',
  'bg-[#7a4a8c]',
  'bg-[#0d6566]',
  'bg-[#8a3a4f]',
]

interface AccountMarkProps {
  name: string
  /** Chooses the color: the id of the account. One's own mark has none. */
  id?: string | undefined
  isSpace?: boolean
  className?: string
}

/** The first letter of an account's name: round for a person, square for a space. */
export function AccountMark({
  name,
  id,
  isSpace = false,
  className = 'size-7 text-xs',
}: AccountMarkProps) {
  return (
    <span
      aria-hidden
      data-initial={initialOf(name)}
      className={`grid shrink-0 place-items-center font-semibold before:content-[attr(data-initial)] ${isSpace ? 'rounded-[0.5rem]' : 'rounded-full'} ${id === undefined ? 'bg-ink text-paper' : `text-white ${colorOf(id)}`} ${className}`}
    />
  )
}

function colorOf(id: string): string {
  const number = Number.parseInt(id.slice(0, 8), 16)
  return colors[number % colors.length] ?? ''
}
