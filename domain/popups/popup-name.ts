/** The owner's name of a popup in lists: the internal one, or the title that visitors read. */
export function popupNameOf({ name, title }: { name: string | null; title: string }): string {
  return name ?? title
}

const maxName = 100
const suffix = ' (copy)'

/** The internal name of a popup's copy, of at most 100 characters: 'Spring sale (copy)'. */
export function copyNameOf(popup: { name: string | null; title: string }): string {
  const base = Array.from(popupNameOf(popup)).slice(0, maxName - suffix.length)
  return `${base.join('').trimEnd()}${suffix}`
}
