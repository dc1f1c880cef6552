const countries = new Intl.DisplayNames('en', { type: 'region' })
const languages = new Intl.DisplayNames('en', { type: 'language' })

/** Name of a country, by its ISO 3166-1 code; without a name in the browser, the code. */
export function countryName(code: string): string {
  return nameBy(countries, code)
}

/** The same for a language, by its BCP 47 tag. */
export function languageName(tag: string): string {
  return nameBy(languages, tag)
}

function nameBy(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code
  } catch {
    return code
  }
}
