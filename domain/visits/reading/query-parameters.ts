// No visitor needs more, and a stranger may send thousands: each visit with one pays for them.
const maxLength = 2_048
const maxParameters = 100
/** Values of one parameter. */
const maxValues = 10

/** The first 100 parameters of a query within its first 2,048 characters, as sent; the whole query if it is not longer. */
export function firstParameters(query: string): string {
  const isLong = query.length > maxLength
  // Half of a parameter is none.
  const last = isLong ? query.lastIndexOf('&', maxLength) : query.length
  let end = -1
  for (let count = 0; count < maxParameters && end < last; count++) {
    const next = query.indexOf('&', end + 1)
    end = next === -1 ? query.length : next
  }
  return query.slice(0, Math.max(0, Math.min(end, last)))
}

/** Decoded values by the name of their parameter, in order, at most ten; '' for one without a value. */
export type QueryValues = ReadonlyMap<string, readonly string[]>

const none: QueryValues = new Map()

/** Reads the {@link firstParameters} of a query like a form. */
export function readQuery(query: string): QueryValues {
  if (query === '') return none
  const values = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(`?${firstParameters(query)}`)) {
    const known = values.get(name)
    if (!known) values.set(name, [value])
    else if (known.length < maxValues) known.push(value)
  }
  return values
}
