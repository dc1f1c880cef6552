import { toUnicode } from 'punycode/punycode.es6.js'

// Letters that cannot be mistaken for ASCII ones: Latin with its accents, without the dotless i, the long s and other
// look-alikes. A label of another script is left encoded: аррӏе in Cyrillic reads as apple.
const safeLabel = /^[a-z0-9ß-öø-ÿāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĵķĺļľłńņňōŏőœŕŗřśŝşšţťũūŭůűųŵŷźżž-]+$/u

/** Letters and digits of scripts that run from left to right; no marks, no signs, nothing invisible. */
const plainText = /^[\p{L}\p{N}]+$/u
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u

/**
 * A stored address as people write it: `https://xn--mnchen-3ya.example/stra%C3%9Fe` is
 * https://münchen.example/straße. What could be mistaken for another address stays encoded. Only to be shown: the
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
    // A label that the browser would write differently is not what it looks like.
    const isTheSame = new URL(`http://${decoded}`).hostname === label
    return isTheSame && safeLabel.test(decoded) ? decoded : label
  } catch {
    return label
  }
}

function readablePath(path: string): string {
  return path.replaceAll(/(?:%[89a-f][0-9a-f])+/gi, (encoded) => {
    try {
      const decoded = decodeURIComponent(encoded)
      const isPlain = plainText.test(decoded) && !rightToLeft.test(decoded)
      return isPlain && decoded.normalize('NFC') === decoded ? decoded : encoded
    } catch {
      return encoded
    }
  })
}
