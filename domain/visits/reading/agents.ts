const maxLength = 512

/**
 * The one spelling of a User-Agent header, to classify, compare or store it: printable ASCII with single blanks,
 * at most 512 characters.
 */
export function canonicalAgent(header: string): string {
  const plain = isPlain.test(header) ? header : respelled(header)
  return plain.length > maxLength ? plain.slice(0, maxLength).trimEnd() : plain
}

const isPlain = /^(?:[!-~](?:[!-~]| (?! |$))*)?$/

// Only the first part is looked at, however long a header is.
const respelled = (header: string) =>
  header
    .slice(0, 2 * maxLength)
    .replace(/[\t-\r ]+/g, ' ')
    .replace(/[^ -~]/g, '?')
    .trim()

const engine = /AppleWebKit|KHTML|Gecko|Trident|MSIE|Presto|Opera|Goanna|NetFront|Konqueror/i
const system =
  /Windows|Macintosh|Mac OS|Mac_PowerPC|Linux|X11|Android|iPhone|iPad|iPod|CrOS|BSD|SunOS|Symbian|BlackBerry|BB10|PlayStation|Nintendo|Xbox|web ?[o0]s|Tizen|KaiOS|Harmony|Haiku|Amiga|SMART-TV/i

const browserName = /\b(Firefox|Chrome|Safari|Edge?|OPR)\//i

/**
 * Whether an agent claims to be like a browser and is none: `(compatible; Name)` without the engine or the system that each browser
 * names, or `Mozilla/5.0 Name` without both and without the name of a browser.
 *
 * @param agent canonical
 */
export function onlyClaimsBrowser(agent: string): boolean {
  if (/\bcompatible\b/i.test(agent)) return !engine.test(agent) || !system.test(agent)
  const isShort = /^Mozilla\//i.test(agent) && !engine.test(agent) && !system.test(agent)
  return isShort && !browserName.test(agent)
}
