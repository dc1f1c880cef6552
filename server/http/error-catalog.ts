/** An argument of an error. Lists are joined by commas. */
export type ErrorArgument = string | number | readonly string[]

/** The longest part of a text that a client sent. */
const maxLength = 500

/** One function for each entry of a catalog. Its arguments replace `{0}` and `{1}` in the texts of the entry. */
export function errorsOf<
  Entries extends Record<string, object>,
  Args extends readonly ErrorArgument[],
  Kind extends Error,
>(
  entries: Entries,
  create: (entry: Entries[keyof Entries]) => Kind,
): { [Name in keyof Entries]: (...about: Args) => Kind } {
  const errors = Object.entries(entries).map(([name, entry]) => [
    name,
    (...args: Args) => create(filled(entry, args) as Entries[keyof Entries]),
  ])
  return Object.fromEntries(errors) as { [Name in keyof Entries]: (...about: Args) => Kind }
}

function filled(entry: object, args: readonly ErrorArgument[]): unknown {
  const fill = (_gap: string, at: string) =>
    [args[Number(at)] ?? ''].flat().join(', ').slice(0, maxLength)
  return JSON.parse(JSON.stringify(entry), (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/\{(\d)\}/g, fill) : value,
  )
}
