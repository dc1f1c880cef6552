import { describe, expect, expectTypeOf, it } from 'vitest'
import { type CatalogText, type Message, messagesOf, type TextCatalog } from './catalog.ts'
import mail from './en/mail.json' with { type: 'json' }
import visitor from './en/visitor.json' with { type: 'json' }
import { visitorTexts } from './visitor-texts.ts'

interface Messages {
  shop: {
    open: Message
    welcome: Message<'name' | 'place'>
    rest: Message<'count' | 'place'>
  }
}

const { shop } = messagesOf<Messages>(
  {
    shop: {
      open: 'Open',
      welcome: 'Welcome {name}, to {place}!',
      rest: { one: '{count} thing left in {place}', other: '{count} things left in {place}' },
    },
  },
  'en',
)

describe('a message', () => {
  it('fills its gaps, and no gap in their values', () => {
    expect(shop.open()).toBe('Open')
    expect(shop.welcome({ name: '{place}', place: '$& {name}' })).toBe(
      'Welcome {place}, to $& {name}!',
    )
  })

  it('has the form of its number', () => {
    expect([0, 1, 2, 1_234].map((count) => shop.rest({ count, place: 'Rome' }))).toEqual([
      '0 things left in Rome',
      '1 thing left in Rome',
      '2 things left in Rome',
      '1,234 things left in Rome',
    ])
    const wait = visitorTexts('en').password.tooMany
    expect([wait({ count: 1 }), wait({ count: 30 })]).toEqual([
      'Too many attempts. Try again in 1 second.',
      'Too many attempts. Try again in 30 seconds.',
    ])
  })

  it('demands the value of each gap, and a number for its count', () => {
    expectTypeOf(shop.open).parameters.toEqualTypeOf<[]>()
    expectTypeOf(shop.rest)
      .parameter(0)
      .toEqualTypeOf<{ readonly count: number; readonly place: string }>()
    // @ts-expect-error: the gap {place} has no value
    shop.welcome({ name: 'Ada' })
    // @ts-expect-error: a message with gaps has values
    visitorTexts('en').interstitial.continue()
    // @ts-expect-error: a count is a number, which chooses the form
    visitorTexts('en').sharedReport.days({ count: '7' })
  })
})

const catalogs: Record<string, TextCatalog> = { visitor, mail }

const texts = Object.entries(catalogs).flatMap(([area, catalog]) =>
  Object.entries(catalog).flatMap(([section, messages]) =>
    Object.entries(messages).map(([name, text]) => [`${area}: ${section}.${name}`, text] as const),
  ),
)

it('each text with plural forms has one for each category of English', () => {
  const { pluralCategories } = new Intl.PluralRules('en').resolvedOptions()
  const isForms = (text: CatalogText) => typeof text !== 'string'
  const plurals = texts.filter(([, text]) => isForms(text))
  expect(plurals.length).toBeGreaterThan(3)
  for (const [name, forms] of plurals)
    expect([name, Object.keys(forms).sort()]).toEqual([name, pluralCategories.toSorted()])
})

it('no text is empty, has blanks around it or a brace without a gap', () => {
  for (const [name, text] of texts)
    for (const form of Object.values(typeof text === 'string' ? { text } : text)) {
      expect([name, form.trim() === form && form !== '']).toEqual([name, true])
      expect([name, form.replaceAll(/\{[a-z]\w*\}/gi, '').match(/[{}]/)]).toEqual([name, null])
    }
})
