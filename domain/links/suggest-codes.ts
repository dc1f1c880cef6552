import { customCodeProblem } from './short-codes.ts'

const fillers = new Set(
  'a an and as at by de der die das den des du en et for from im in is la le les mit of on or our the to und von with www your zu'.split(
    ' ',
  ),
)
const maxWords = 3
const maxLength = 24

/** A text as a code: letters of ASCII, and hyphens between words. Empty for a text in another script. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[äöü]/g, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[letter] ?? letter)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
}

/** The first words that say something, as long as they fit. */
function shortSlug(text: string): string {
  const words = slugOf(text).split('-')
  const telling = words.filter((word) => word !== '' && !fillers.has(word))
  let code = ''
  for (const word of (telling.length > 0 ? telling : words).slice(0, maxWords)) {
    const next = code === '' ? word.slice(0, maxLength) : `${code}-${word}`
    if (next.length > maxLength) break
    code = next
  }
  return code
}

/**
 * Codes that are like a link, the best first: from its title, the end of its path and its host. All of them are valid codes; none is
 * known to be free.
 */
export function codeIdeas(url: string, title: string): string[] {
  const { hostname = '', pathname = '' } = URL.canParse(url) ? new URL(url) : {}
  const labels = hostname.split('.')
  const host = slugOf(labels.at(-2) ?? labels[0] ?? '')
  const segments = pathname
    .split('/')
    .map((segment) => decoded(segment).replace(/\.[a-z]{2,5}$/i, ''))
    .filter((segment) => !/^(?:index|default|\d{1,3})?$/i.test(segment))
  const path = shortSlug(segments.at(-1) ?? '')
  const name = shortSlug(title)
  const [firstWord = ''] = name.split('-')
  const ideas = [name, path, `${host}-${path}`, `${host}-${firstWord}`, firstWord, host]
  const bases = ideas.map((idea) => idea.replaceAll(/^-+|-+$/g, '')).filter(isCode)
  return [
    ...new Set([...bases, ...bases.slice(0, 2).flatMap((base) => [`${base}-2`, `${base}-go`])]),
  ]
}

function isCode(idea: string): boolean {
  return customCodeProblem(idea) === null
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
