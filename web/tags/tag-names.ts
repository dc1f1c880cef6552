/** Tags, and behind them those of a text with commas. Each name is there once; its case does not matter. */
export function joinedTags(tags: readonly string[], text: string): string[] {
  const joined = new Map(tags.map((name) => [name.toLowerCase(), name]))
  for (const part of text.split(',')) {
    const name = part.trim()
    if (name !== '' && !joined.has(name.toLowerCase())) joined.set(name.toLowerCase(), name)
  }
  return [...joined.values()]
}
