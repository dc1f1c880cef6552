/** A tag of a page, or the end of one. */
export interface MarkupTag {
  /** In lower case: `a`, `/a`. */
  name: string
  /** The text of its attributes, as written. */
  attributes: string
  start: number
  /** Index behind its `>`. */
  end: number
}

/** The tags of a page in their order, in one pass over any text. A tag that never ends is the last one. */
export function* markupTags(html: string): Generator<MarkupTag> {
  let at = 0
  for (;;) {
    const start = html.indexOf('<', at)
    if (start === -1) return
    if (html.startsWith('<!--', start)) {
      const end = html.indexOf('-->', start + 4)
      if (end === -1) return
      at = end + 3
      continue
    }
    const name = /^\/?[a-z][a-z\d-]{0,30}/i.exec(html.slice(start + 1, start + 34))?.[0]
    if (name === undefined) {
      at = start + 1
      continue
    }
    const close = closeOf(html, start + 1 + name.length)
    if (close === -1) return
    yield {
      name: name.toLowerCase(),
      attributes: html.slice(start + 1 + name.length, close),
      start,
      end: close + 1,
    }
    at = close + 1
  }
}

/** The `>` of a tag; one between quotes is none. */
function closeOf(html: string, from: number): number {
  let quote = ''
  for (let i = from; i < html.length; i++) {
    const character = html.charAt(i)
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === '>') return i
    else if (character === '"' || character === "'") quote = character
  }
  return -1
}

/** The value of an attribute, as written. */
export function attributeOf({ attributes }: MarkupTag, name: string): string | undefined {
  const pattern = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i')
  const found = pattern.exec(attributes.slice(0, 8_192))
  return found?.[1] ?? found?.[2] ?? found?.[3]
}
