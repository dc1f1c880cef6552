import { afterEach, expect, it, vi } from 'vitest'
import { parseRules } from '#domain/visits/parse-rules.ts'
import { newRule, newVariant, rulesOfDraft } from '#web/features/links/rules/rules-draft.ts'
import { randomUuid } from '#web/random-uuid.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

it('a rule is added and saved on a page over plain http', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })

  const rule = newRule('Europe/Berlin')
  const [condition] = rule.when
  if (condition === undefined) throw new Error('a new rule has a condition')
  const split = ['50', '50'].map((weight) => ({ ...newVariant(weight), to: 'https://example.com' }))
  const when = [{ ...condition, values: ['DE'] }]
  const rules = rulesOfDraft({
    rules: [{ ...rule, when, target: 'split', split }],
    isElseSplit: false,
    elseSplit: [],
  })

  expect(
    parseRules(rules, {
      ownHosts: ['hoplet.test'],
      destination: 'https://example.com',
      newId: randomUuid,
    }),
  ).toMatchObject({ ok: true })
})

it('a random id is a UUID of version 4', () => {
  const ids = Array.from({ length: 50 }, randomUuid)

  for (const id of ids)
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(new Set(ids).size).toBe(50)
})
