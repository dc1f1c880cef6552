import { toUnicode } from 'punycode/punycode.es6.js'

// Letters that cannot be mistaken for ASCII ones: Latin with its accents, without the dotless i, the long s and other
// look-alikes. A label of another script is left encoded: аррӏе in Cyrillic reads as apple.
const safeLabel = /^[a-z0-9ß-öø-ÿāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĵķĺļľłńņňōŏőœŕŗřśŝşšţťũūŭůűųŵŷźżž-]+$/u

/** A letter or digit with the marks on it; nothing invisible, no sign. */
const plainLetter = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]\p{M}*/u
const plainLetters = new RegExp(`(?:${plainLetter.source})+`, 'gu')

/**
 * A stored address as people write it: `https://xn--mnchen-3ya.example/stra%C3%9Fe` is
 * https://münchen.example/straße. Characters that could be mistaken for another address stay encoded. Only to be shown: the
 * address to open is the stored one.
 */
export function readableUrl(stored: string): string {
  if (!URL.canParse(stored)) return stored
  const { host } = new URL(stored)
  const start = stored.indexOf(host)
  if (host === '' || start < 0) return stored
  const end = start + host.length
  return stored.slice(0, start) + readableHost(host) + readablePath(stored.slice(end))
}

function readableHost(host: string): string {
  return host
    .split('.')
    .map((label) => (label.startsWith('xn--') ? readableLabel(label) : label))
    .join('.')
}

function readableLabel(label: string): string {
  try {
    const decoded = toUnicode(label)
    // A label that the browser would write differently is deceptive.
    const isTheSame = new URL(`http://${decoded}`).hostname === label
    return isTheSame && safeLabel.test(decoded) ? decoded : label
  } catch {
    return label
  }
}

// Each part is decoded unless it would be read as another one. Letters that run from right to left cannot move the host, which
// stands before them and runs from left to right.
function readablePath(path: string): string {
  return path.replaceAll(/(?:%[89a-f][0-9a-f])+/gi, (encoded) => {
    try {
      const decoded = decodeURIComponent(encoded)
      if (decoded.normalize('NFC') !== decoded) return encoded
      return withEncoded(decoded)
    } catch {
      return encoded
    }
  })
}

/** The text with all but its letters encoded. */
function withEncoded(decoded: string): string {
  let shown = ''
  let end = 0
  for (const { 0: letters, index } of decoded.matchAll(plainLetters)) {
    shown += encodeURIComponent(decoded.slice(end, index)) + letters
    end = index + letters.length
  }
  return shown + encodeURIComponent(decoded.slice(end))
}
