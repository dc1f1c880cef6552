/** Languages of a visitor: entries of Accept-Language with q >= 0.9. */
export interface AcceptedLanguages {
  /** In the order of the header, in lower case: `de-at`. */
  readonly tags: readonly string[]
  /** The tags and their beginnings, as conditions name them: `de-at` and `de`. */
  readonly ranges: ReadonlySet<string>
}

// No browser sends more, and a stranger may.
const maxHeaderLength = 1_000
const maxEntries = 10

// A few headers make most visits.
const maxKnownHeaders = 500
const knownHeaders = new Map<string, AcceptedLanguages>()

/** The languages of an Accept-Language header, by its first ten entries. */
export function acceptedLanguages(header: string): AcceptedLanguages {
  let languages = knownHeaders.get(header)
  if (!languages) {
    const tags = tagsIn(header)
    languages = { tags, ranges: rangesOf(tags) }
    if (knownHeaders.size >= maxKnownHeaders) knownHeaders.clear()
    if (header.length <= maxHeaderLength) knownHeaders.set(header, languages)
  }
  return languages
}

function tagsIn(header: string): string[] {
  return header.slice(0, maxHeaderLength).toLowerCase().split(',', maxEntries).flatMap(tagOf)
}

/** The tag of an entry such as `de-AT;q=0.9`; none for another text, and for one that the visitor reads less well. */
function tagOf(entry: string): string | [] {
  const end = entry.indexOf(';')
  const name = (end === -1 ? entry : entry.slice(0, end)).trim().replaceAll('_', '-')
  if (!/^[a-z]{1,8}(?:-[a-z\d]{1,8}){0,9}$/.test(name)) return []
  if (end === -1) return name
  const parameters = entry
    .slice(end + 1)
    .split(';')
    .map((part) => part.trim())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
  return parseFloat(quality) >= 0.9 ? name : []
}

function rangesOf(tags: readonly string[]): ReadonlySet<string> {
  const ranges = new Set<string>()
  for (const tag of tags) {
    for (let end = tag.indexOf('-'); end !== -1; end = tag.indexOf('-', end + 1))
      ranges.add(tag.slice(0, end))
    ranges.add(tag)
  }
  return ranges
}
