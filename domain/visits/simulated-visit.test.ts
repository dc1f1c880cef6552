import { describe, expect, test } from 'vitest'
import { factsOfSimulatedVisit, simulatedVisit } from './simulated-visit.ts'

describe('a simulated visit', () => {
  test('gives the facts that it names, and nothing is known of the others', () => {
    const visit = simulatedVisit.parse({
      country: 'de',
      in_app: 'instagram',
      at: '2026-12-24T18:00+01:00',
      share: 99.5,
    })
    const named = { system: 'ios', device: 'mobile', browser: 'other', inApp: 'none' } as const
    const facts = factsOfSimulatedVisit(visit, named)
    expect(facts).toMatchObject({
      country: 'DE',
      city: undefined,
      system: 'ios',
      inApp: 'instagram',
      source: 'link',
      query: '',
      firstVisit: undefined,
    })
    expect(facts.shareOf('any')).toBe(99.5)
  })

  test.each<[unknown, string]>([
    [[], 'A visit is an object'],
    [{ moon: 1 }, 'A visit has no moon'],
    [{ country: 'UK' }, 'This is not a country code such as DE or US'],
    [{ system: 'ipados' }, 'Choose from ios, android, windows, macos, linux, chromeos, other'],
    [{ source: 'mail' }, 'Choose from link, qr'],
    [{ address: '10.0.0.0/8' }, 'This is not an address such as 192.0.2.1'],
    [
      { at: '2026-12-24' },
      'This is not a date and time with its offset, such as 2026-12-24T18:00:00+01:00',
    ],
    [{ share: 100 }, 'A share is a number from 0 to less than 100'],
    [{ first_visit: 'yes' }, 'This is true or false'],
    [{ query: 'a'.repeat(2_049) }, 'At most 2048 characters are possible'],
  ])('%j is refused with a sentence', (json, sentence) => {
    expect(simulatedVisit.safeParse(json).error?.issues.map(({ message }) => message)).toEqual([
      sentence,
    ])
  })
})
