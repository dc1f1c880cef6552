/** The first letter of a name in a circle; a whole character, also when it takes several code units. */
export function Avatar({ title }: { title: string }) {
  return (
    <span className="hp-avatar" aria-hidden="true">
      {initialOf(title)}
    </span>
  )
}

/** The first letter or digit, upper case; an '@' where there is none. */
export function initialOf(title: string): string {
  const first = /[\p{L}\p{N}]\p{M}*/u.exec(title)?.[0] ?? '@'
  return first.toLocaleUpperCase('en')
}
