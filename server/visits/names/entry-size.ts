import type { NameEntry } from './name-entry.ts'

/** Bytes per cached link, strings excluded (measured on Node 20 and 24). */
const linkBytes = 700
/** Bytes per object or array, and per property or element. */
const objectBytes = 48
const propertyBytes = 16

/** About how many bytes of the heap an entry takes under its name. */
export function sizeOfEntry(entry: NameEntry, name: string): number {
  const base = linkBytes + name.length
  if (entry.kind === 'missing' || entry.kind === 'gone') return base
  if (entry.kind === 'bio')
    return (
      base +
      sizeOf(entry.view) +
      sizeOf([...entry.links.values()]) +
      sizeOf(entry.times) +
      sizeOf(entry.popup)
    )
  const { destination, popup, title, options } = entry
  return base + destination.length + sizeOf(popup) + sizeOf(title) + sizeOf(options)
}

function sizeOf(value: unknown): number {
  // With a character above U+00FF, all of a text take two bytes. Most texts for people have none.
  if (typeof value === 'string') return objectBytes / 2 + value.length * 2
  if (typeof value !== 'object' || value === null) return 0
  if (ArrayBuffer.isView(value)) return 2 * objectBytes + value.byteLength
  const values: unknown[] = value instanceof Map ? [...value].flat() : Object.values(value)
  return values.reduce((sum: number, each) => sum + propertyBytes + sizeOf(each), objectBytes)
}
