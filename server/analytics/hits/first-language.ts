import { LRUCache } from 'lru-cache'

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

// Codes with a name that no person speaks: undetermined, several, none, uncoded.
const noLanguage = new Set(['und', 'mul', 'zxx', 'mis', 'root'])

const known = new LRUCache<string, string>({ max: 1_000, memoMethod: check })

/**
 * The language that a browser asks for first: the primary subtag of BCP 47 ("pt" of `pt-BR,pt;q=0.9`), if it is one that
 * Unicode knows. '' is not known.
 */
export function firstLanguage(acceptLanguage: string): string {
  const code = /^\s*([a-z]{2,3})(?![a-z\d])/i.exec(acceptLanguage.slice(0, 100))?.[1]?.toLowerCase()
  return code === undefined ? '' : known.memo(code)
}

function check(code: string): string {
  // One language has one code: `iw` is `he`, `deu` is `de`.
  const [language = ''] = Intl.getCanonicalLocales(code)
  return /^[a-z]{2,3}$/.test(language) && !noLanguage.has(language) && names.of(language)
    ? language
    : ''
}
