import type { BioEntry, TimedLink } from '../names/name-entry.ts'

interface Version {
  /** The indexes of the entries that are hidden. */
  key: string
  page: BioEntry
}

/** The version of a page for the present, which stays the same object between two changes: it is rendered once. */
const versions = new WeakMap<BioEntry, Version>()

const isShown = ({ from, to }: TimedLink, now: number) => from <= now && now < to

/**
 * A bio page with the entries that visitors see at a moment.
 *
 * @param now epoch milliseconds
 */
export function pageAt(entry: BioEntry, now: number): BioEntry {
  const hidden = entry.times.filter((time) => !isShown(time, now))
  if (hidden.length === 0) return entry
  const key = hidden.map(({ index }) => index).join()
  const known = versions.get(entry)
  if (known?.key === key) return known.page
  const indexes = new Set(hidden.map(({ index }) => index))
  const ids = new Set(hidden.map(({ id }) => id))
  const page = {
    ...entry,
    view: { ...entry.view, links: entry.view.links.filter((_, index) => !indexes.has(index)) },
    links: new Map([...entry.links].filter(([id]) => !ids.has(id))),
  }
  versions.set(entry, { key, page })
  return page
}
