import { z } from 'zod'

/**
 * Reads a data file: blocks of `key: value` lines, separated by blank lines. A key may be repeated, so a block is a
 * record of lists. Lines that start with `#` are comments.
 *
 * @throws when a block does not have the shape, which stops the start of the server
 */
export function readBlocks<Shape extends z.ZodType>(text: string, shape: Shape): z.output<Shape>[] {
  const blocks = text.replace(/^#.*\n/gm, '').split(/\n\s*\n/)
  return blocks.flatMap((block) => {
    const lines = block.trim().split('\n')
    if (lines[0] === '') return []
    const values: Record<string, string[]> = {}
    for (const line of lines) {
      const [, key = line, value = ''] = /^(.+?): *(.*)$/.exec(line) ?? []
      ;(values[key] ??= []).push(value.trim())
    }
    const parsed = shape.safeParse(values)
    if (parsed.success) return [parsed.data]
    throw new Error(
      `${z.prettifyError(parsed.error)}\nin these lines of a data file:\n${block.trim()}`,
    )
  })
}

/** The value of a key that a block has once. */
export const single = z.tuple([z.string().min(1)]).transform(([value]) => value)

/** A number. */
export const singleNumber = single.pipe(z.coerce.number())

export const hexColor = z.string().regex(/^#[0-9a-f]{6}$/)

/** The values between the spaces of a line. */
export const spaced = single.transform((line) => line.split(/\s+/))

/** The values between the commas of a line. */
export const listed = single.transform((line) => line.split(/,\s*/))

/** Phrases, as {@link phrasePattern} reads them. */
export const phrases = listed.transform(phrasePattern)

/**
 * A pattern that finds any of these phrases as whole words, in upper or lower case. In a phrase `sale(s)` has an optional
 * ending and `(our) demo` an optional word, `book/order` are alternatives, `donat*` is any word that starts so (up to 30
 * letters more, so that an endless word costs little), and ` ... ` matches up to 40 characters.
 */
export function phrasePattern(list: readonly string[]): RegExp {
  const sources = list.map((phrase) => {
    const unknown = /[^\p{L}\p{M}\p{N} '’/()*.{}-]/u.exec(phrase)
    if (unknown) throw new Error(`'${unknown[0]}' has no meaning in the phrase '${phrase}'`)
    return phrase
      .replace(/[{}]/g, '\\$&')
      .replace(/\([^)]*\)/g, (optional) => optional.replaceAll('/', '|'))
      .replace(/[^ /]+(?:\/[^ /]+)+/g, (words) => `(?:${words.replaceAll('/', '|')})`)
      .replace(/(?<=^| )\((?!\?)([^()]*)\) /g, '(?:(?:$1) )?')
      .replace(/\((?!\?)([^()]*)\)/g, '(?:$1)?')
      .replaceAll(' ... ', '\\W(?:.{0,40}\\W)?')
      .replaceAll('*', '\\p{L}{0,30}')
      .replace(/['’]/g, "['’]?")
  })
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${sources.join('|')})(?![\\p{L}\\p{N}])`, 'isu')
}
