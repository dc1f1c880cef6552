/** Phrases that stand for a noun, or for a word that everyone knows. Each reads better as the noun or the word. */
export const phrases = {
  // "what the metrics say": "the metrics"; a question may begin with it.
  what: /\bwhat(?:ever)?\b(?![^.!?]*\?)/gi,
  // "who reaches it": "anyone who reaches it"; "people who" is fine.
  who: /(?:^|[.:;(] ?|\b(?:by|to|of|for|from|with|than|and|or|says?|knows?|decides?|shows?|sees?|tells?|about) )who(?:ever|m)?\b(?![^.!?]*\?)/gi,
  // "a name whose DNS leads to it": "a domain that points to it".
  whose: /\bwhose\b/gi,
  // "64 KiB unless told": "default: 64 KiB".
  unlessTold: /\bunless told\b/gi,
  // "a database of its own": "a separate database".
  ofItsOwn:
    /\bof (?:its|their|his|her|our|my|your|one's) own(?=[.,:;)]| (?:and|at|by|for|has|have|in|is|are|on|or|so|than|that|to|when|with)\b|\s*$)/gim,
  // "Of one account": "Maximum per account". A comment about a value begins with its noun.
  ofFirst: /^(?:\/\*\*?|\/\/|--)\s*Of /g,
  // "a note stands at its field", "the code leads on", "the owner is told": "is", "works", "reads".
  stands: /\b(?:stands?|stood)\b(?!-in| in\b| for\b)/gi,
  leadsOn: /\bleads? on\b/gi,
  isTold: /\b(?:is|are|was|were|be|been) told\b/gi,
}

/**
 * @param {string} text
 * @returns {Record<string, number>} how often each phrase is in the text
 */
export function countPhrases(text) {
  return Object.fromEntries(
    Object.entries(phrases).map(([name, pattern]) => [name, text.match(pattern)?.length ?? 0]),
  )
}

/**
 * The prose of a file: its comments and names of tests, or a page without its code. Lines of one comment are joined.
 *
 * @param {string} path
 * @param {string} content
 * @returns {string[]}
 */
export function textsOf(path, content) {
  if (path.endsWith('.md')) return content.replaceAll(/^```.*?^```/gms, '').split('\n\n')
  if (path.endsWith('.sql')) return matches(content, /(?:^[ \t]*--.*\n?)+|--.*/gm)
  const comments = matches(content, /\/\*[^]*?\*\/|(?:^[ \t]*\/\/.*\n?)+|(?<=\s)\/\/ .*/gm)
  const names = /\.test\.tsx?$/.test(path)
    ? matches(content, /(?<=\b(?:it|test|describe)(?:\.\w+)?(?:\([^()]*\))?\(\s*)(['"`]).*?\1/g)
    : []
  return [...comments, ...names]
}

function matches(content, pattern) {
  return [...content.matchAll(pattern)].map(([text]) =>
    text.replaceAll(/\s*\n\s*(?:\*|\/\/|--)?\s*/g, ' '),
  )
}

const quoted = String.raw`(["'\`])((?:(?!\1|\n).)+)\1`
const labels = new RegExp(
  String.raw`(?<![\w-])(?:label|legend)(?:=\{?|: )(?:[^'"\`{}\n]*\? )?${quoted}(?: : (['"\`])((?:(?!\3|\n).)+)\3)?`,
  'g',
)
const hints = new RegExp(
  String.raw`\b(?:hint|intro|description|empty|text)(?:=\{?|: )${quoted}`,
  'g',
)

/** Most words of a label, and of a sentence of a hint. */
const maxWords = { label: 3, hint: 9 }

/**
 * Texts of the screens that break the rule for them: a label is a noun of at most three words, a sentence of a hint has at most
 * nine and does not begin with "It". Quotes of the specification count too: the number is held, not zero.
 *
 * @param {string} path
 * @param {string} content
 * @returns {{ longLabel: string[], longHint: string[], itFirst: string[] }}
 */
export function brokenTexts(path, content) {
  if (!/^web\/.*\.tsx$|^domain\/.*texts\.ts$/.test(path))
    return { longLabel: [], longHint: [], itFirst: [] }
  const sentences = [...content.matchAll(hints)].flatMap(([, , text]) =>
    text.split(/(?<=[.!?:])\s+/),
  )
  return {
    longLabel: [...content.matchAll(labels)]
      .flatMap(([, , text, , otherwise = '']) => [text, otherwise])
      .filter((text) => wordsOf(text) > maxWords.label),
    longHint: sentences.filter((sentence) => wordsOf(sentence) > maxWords.hint),
    itFirst: sentences.filter((sentence) => /^It\b/.test(sentence)),
  }
}

/** A placeholder counts as one word. */
function wordsOf(text) {
  return text
    .replaceAll(/\$\{[^}]*\}/g, 'x')
    .trim()
    .split(/\s+/).length
}
