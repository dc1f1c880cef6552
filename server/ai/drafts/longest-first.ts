/** Matches of `look` at each place of a text, the longest first. */
export function longestFirst<Found>(
  parts: readonly string[],
  maxLength: number,
  look: (stretch: readonly string[]) => Found | undefined,
): Found[] {
  const found: Found[] = []
  for (let at = 0; at < parts.length;) {
    let length = Math.min(maxLength, parts.length - at)
    let match = look(parts.slice(at, at + length))
    while (match === undefined && length > 1) match = look(parts.slice(at, at + --length))
    if (match !== undefined) found.push(match)
    at += match === undefined ? 1 : length
  }
  return found
}
