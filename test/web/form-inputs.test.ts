import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { linkSentences, linkTexts } from '#domain/links/link-limits.ts'
import { newPopup } from '#domain/popups/popup-form.ts'
import { optionsDraftOf } from '#web/features/links/options/options-draft.ts'
import { refusedField } from '#web/features/links/options/refused-field.ts'

/** The components of a folder, as one text. */
async function componentsIn(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.tsx'))
  const texts = await Promise.all(names.map((name) => readFile(`${folder}/${name}`, 'utf8')))
  return texts.join('\n')
}

/** A call such as `change({ tags, tagText })`, `text('title')` or `field('position')`. */
const changeOf = (field: string) =>
  new RegExp(`change\\(\\{[^}]*\\b${field}\\b|\\b(text|field)\\('${field}'\\)`)

describe('the form of a link', () => {
  it('changes each option in an input', async () => {
    const source = await componentsIn('web/features/links/options')
    const changes = (field: string) => changeOf(field).test(source)
    // The compiler names a text without an input.
    const fields = Object.keys(optionsDraftOf(undefined)).filter((field) => !(field in linkTexts))
    expect(fields.filter((field) => !changes(field))).toEqual([])
    expect(changes('planted')).toBe(false)
  })

  it('shows each sentence of a CHECK at its field', () => {
    // Other programs write these; the form does not offer them.
    const others = [
      'shortened_urls_external_id_check',
      'shortened_urls_former_url_check',
      'shortened_urls_clicks_before_check',
      'shortened_urls_archived_at_check',
      'shortened_urls_redirect_status_check',
    ]
    const checks = Object.entries(linkSentences).filter(([name]) =>
      name.startsWith('shortened_urls_'),
    )
    const unplaced = checks.filter(
      ([, message]) => !refusedField({ code: '23514', message, details: null, hint: null }),
    )
    expect(unplaced.map(([name]) => name)).toEqual(others)
  })
})

describe('the form of a popup', () => {
  it('changes each field in an input', async () => {
    const source = await componentsIn('web/features/popups')
    const changes = (field: string) =>
      changeOf(field).test(source) || new RegExp(`name: '${field}'`).test(source)
    expect(Object.keys(newPopup).filter((field) => !changes(field))).toEqual([])
    expect(changes('planted')).toBe(false)
  })
})
