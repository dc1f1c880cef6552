import { describe, expect, test } from 'vitest'
import { ownHostsOf } from '#domain/links/destinations.ts'
import { parseRules } from './parse-rules.ts'

const to = 'https://example.com/a'
const destination = 'https://example.com/'
const inGermany = { fact: 'country', is: ['DE'] }
const options = { ownHosts: ownHostsOf({ publicUrl: 'https://hoplet.example' }), destination }

function parse(json: unknown) {
  let count = 0
  return parseRules(json, { ...options, newId: () => `id-${++count}` })
}

describe('parseRules', () => {
  const typed = [
    {
      id: 'berlin',
      when: [
        { fact: 'country', is: ['de', 'AT', 'at'] },
        { fact: 'city', is_not: [' Wien '] },
        { fact: 'language', is: ['de_AT'] },
        { fact: 'in_app', is_not: ['any'] },
        { fact: 'address', is: ['10.*.0.1', '2001:db8::/32'] },
        { fact: 'hours', is: ['09:00-17:00', '22:00-06:00'], zone: 'Europe/Berlin' },
        { fact: 'before', is: ['2026-12-24T18:00+01:00'] },
        { fact: 'query', is: ['empty', '=summer'], name: 'utm_source' },
        { fact: 'first_visit', is: [true] },
        { fact: 'share', is: [30] },
      ],
      to: 'https://EXAMPLE.com/a',
    },
    {
      when: [inGermany],
      split: [
        { to, weight: 60 },
        { id: 'b', to, weight: 40 },
      ],
    },
    { when: [inGermany], app: { ios: to, fallback: 'http://example.com/' } },
    {
      else: true,
      split: [
        { to: 'https://EXAMPLE.com', weight: 50 },
        { to, weight: 50 },
      ],
    },
  ]
  const stored = [
    {
      id: 'berlin',
      when: [
        { fact: 'country', is: ['DE', 'AT'] },
        { fact: 'city', is_not: ['Wien'] },
        { fact: 'language', is: ['de-AT'] },
        { fact: 'in_app', is_not: ['any'] },
        { fact: 'address', is: ['10.*.0.1', '2001:db8::/32'] },
        { fact: 'hours', is: ['09:00-17:00', '22:00-06:00'], zone: 'Europe/Berlin' },
        { fact: 'before', is: ['2026-12-24T17:00:00.000Z'] },
        { fact: 'query', is: ['empty', '=summer'], name: 'utm_source' },
        { fact: 'first_visit', is: [true] },
        { fact: 'share', is: [30] },
      ],
      to,
    },
    {
      id: 'id-1',
      when: [inGermany],
      split: [
        { id: 'id-2', to, weight: 60 },
        { id: 'b', to, weight: 40 },
      ],
    },
    { id: 'id-3', when: [inGermany], app: { ios: to, fallback: 'http://example.com/' } },
    {
      id: 'id-4',
      else: true,
      split: [
        { id: 'id-5', to: null, weight: 50 },
        { id: 'id-6', to, weight: 50 },
      ],
    },
  ]

  test('returns the form to store, and the same for that form', () => {
    expect(parse(typed)).toEqual({ ok: true, rules: stored })
    expect(parseRules(stored, options)).toEqual({ ok: true, rules: stored })
  })

  test('leaves out a rule for everyone else that says nothing', () => {
    expect(parse([{ else: true }])).toEqual({ ok: true, rules: [] })
    expect(parse([])).toEqual({ ok: true, rules: [] })
  })

  test('refuses a missing id when it may not make one', () => {
    const parsed = parseRules([{ when: [inGermany], to }], options)
    expect(parsed).toMatchObject({ ok: false, problems: [{ path: '0.id' }] })
  })
})
