const maxTargetLength = 8_192

/** Text before a code: a slash too much, a blank, a quotation mark or a bracket, the `@` of a name. */
const before = /^[/\\\s@*"'“”‘’„«»‹›<>()[\]{}]+/
const name = /^[a-z0-9_-]{3,50}(?![a-z0-9_-])(?:\/go\/[0-9a-f-]{36}(?![\w-]))?/i
/** The path of a scan, with the mark of a placement. */
const scanned = /^q\/[a-z0-9_-]{3,50}(?![a-z0-9_-])(?:\/[a-z0-9]{2,8}(?![\w-]))?/i
/** Characters that nobody sees: of zero width, soft hyphens, marks of the direction. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
/** A letter or digit makes another word of a code, but not in scripts that have no blanks between words. */
const continued = /^[\p{L}\p{M}\p{Nd}]/u
const withoutBlanks =
  /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u
/** A slash and a word is a path, a dot and small letters a file. */
const otherAddress = /^(?:\/+[\p{L}\p{N}]|\.[a-z0-9])/u
const joined = /[&?]/

/**
 * The target that was meant, where text around a link became a part of it: `/menu).`, `//menu`, `/menu%20`, `/menu，见`.
 * The rest is cut off at the first character that no code has; parameters behind `&` or an encoded `?` become the query.
 * Undefined for a target that is no such slip, as that of a file. Ask only after a miss.
 */
export function mendedTarget(url: string): string | undefined {
  if (url.length > maxTargetLength) return undefined
  const [path = '', ...queries] = url.split('?')
  const text = decode(path).replace(invisible, '').replace(before, '')
  const [code] = scanned.exec(text) ?? name.exec(text) ?? []
  if (code === undefined) return undefined
  const rest = text.slice(code.length)
  if (otherAddress.test(rest) || (continued.test(rest) && !withoutBlanks.test(rest)))
    return undefined
  const suffix = /^\+(?![\p{L}\p{N}])/u.test(rest) ? '+' : ''
  const added = joined.test(rest) ? encodeURI(rest.slice(rest.search(joined) + 1)) : ''
  const query = [added.replace(/^amp;/, ''), queries.join('?')].filter((part) => part !== '')
  const target = `/${code}${suffix}${query.length > 0 ? `?${query.join('&')}` : ''}`
  return target === url ? undefined : target
}

/** Bytes that are no UTF-8 become characters that no code has. */
function decode(path: string): string {
  const bytes = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
