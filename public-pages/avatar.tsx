/** The first letter of a name in a circle. */
export function Avatar({ title }: { title: string }) {
  return (
    <span className="hp-avatar" aria-hidden="true">
      {initialOf(title)}
    </span>
  )
}

/** The first letter or digit in upper case, as a whole character; '@' if there is none. */
export function initialOf(title: string): string {
  const first = /[\p{L}\p{N}]\p{M}*/u.exec(title)?.[0] ?? '@'
  return first.toLocaleUpperCase('en')
}
