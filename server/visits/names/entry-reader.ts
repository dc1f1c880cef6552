import type { Hosts } from '../../http/hosts.ts'
import type { Database } from '../../postgres/database.ts'
import { type LoadedSite, loadNameEntries } from './load-name-entries.ts'
import type { NameCache } from './name-cache.ts'
import type { ReadEntries } from './lookups.ts'

interface EntryReaderDeps {
  database: Database
  site: LoadedSite
  hosts: Pick<Hosts, 'placeOfPrefix'>
  cache: Pick<NameCache, 'changedSince' | 'entryOf'>
  /** True while every change is known to be heard of. */
  isListening: () => boolean
}

/**
 * Reads names from a replica, if there is one, and from the primary names that may be outdated there: names that it does not
 * know, perhaps not yet, and those that changed after the state that it has. A change that is heard of later outdates the
 * entry, as it does one from the primary. See docs/decisions/0035.
 */
export function createEntryReader({
  database,
  site,
  hosts,
  cache,
  isListening,
}: EntryReaderDeps): ReadEntries {
  return async (names, isHurried) => {
    const load = (asked: readonly string[], mayLag: boolean) =>
      loadNameEntries(database, asked, site, { mayLag, isHurried, hosts })
    const { entries, asOf } = await load(names, isListening())
    if (asOf === undefined) return entries
    const isUncertain = (name: string) => {
      const entry = entries.get(name)
      if (!entry || entry.kind === 'missing') return true
      return cache.changedSince(name, entry, asOf)
    }
    // A loss of the notifications during the read leaves the changes unknown.
    const again = isListening() ? names.filter(isUncertain) : names
    if (again.length === 0) return entries
    const current = await load(again, false)
    return new Map([...entries, ...current.entries])
  }
}
