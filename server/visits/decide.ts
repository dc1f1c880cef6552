import type { BioEntry, Entry, LinkEntry } from './entry.ts'

/** What to do with a visit. Effects (recording, answering) happen in visits.ts, in one place. */
export type Decision =
  | { do: 'redirect'; link: LinkEntry }
  | { do: 'interstitial'; link: LinkEntry; popupId: string }
  | { do: 'bio'; page: BioEntry }
  | { do: 'gone' }
  | { do: 'missing' }
  | { do: 'unavailable' }

/**
 * Decides what a visitor gets. Pure: only what stands behind the name counts, so no query, header or path suffix can
 * lead anybody elsewhere. `undefined` means that the name is not known and the database cannot be asked.
 */
export function decide(entry: Entry | undefined): Decision {
  if (entry === undefined) return unavailable
  switch (entry.kind) {
    case 'link':
      return entry.popup?.active
        ? { do: 'interstitial', link: entry, popupId: entry.popup.id }
        : { do: 'redirect', link: entry }
    case 'bio':
      return { do: 'bio', page: entry }
    case 'gone':
      return gone
    case 'missing':
      return missing
  }
}

const unavailable: Decision = { do: 'unavailable' }
const gone: Decision = { do: 'gone' }
const missing: Decision = { do: 'missing' }
