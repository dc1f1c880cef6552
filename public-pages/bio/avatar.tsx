/** The owner's picture in a circle, over the first letter of the name. */
export function Avatar({ title, url }: { title: string; url: string | null }) {
  return (
    <span className="hp-avatar" aria-hidden="true">
      {initialOf(title)}
      {url === null ? null : <img src={url} alt="" width={96} height={96} />}
    </span>
  )
}

/** The first letter or digit in upper case, as a whole character; '@' if there is none. */
export function initialOf(title: string): string {
  const first = /[\p{L}\p{N}]\p{M}*/u.exec(title)?.[0] ?? '@'
  return first.toLocaleUpperCase('en')
}
