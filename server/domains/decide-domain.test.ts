import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { domainProblems } from '#domain/domains/domain-problems.ts'
import { type CheckedDomain, decideDomain, type DomainFindings } from './decide-domain.ts'

const now = new Date('2026-11-29T12:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
const hoursFromNow = (date: Date) => (date.getTime() - now.getTime()) / 3_600_000

const added: CheckedDomain = {
  isServed: false,
  isProven: false,
  isBlocked: false,
  failingSince: null,
  warnings: 0,
  checks: 0,
}
const verified: CheckedDomain = { ...added, isServed: true, isProven: true }
const certificate = { isValid: true, endsAt: daysAgo(-60) }
const right: DomainFindings = {
  proof: 'right',
  direction: 'right',
  isLoop: false,
  isProxied: false,
  isTaken: false,
  probe: { answer: 'ours', isCloudflare: false, certificate },
  needsProbe: true,
  excludesIssuer: false,
}
const decide = (domain: CheckedDomain, findings: Partial<DomainFindings> = {}) =>
  decideDomain(domain, { ...right, ...findings }, now)
const none = { answer: 'none', isCloudflare: false, certificate: undefined } as const

describe('a domain that is not verified', () => {
  it('is served when TXT, direction and the answer of its host are right', () => {
    const state = decide({ ...added, checks: 4 })
    expect(state).toMatchObject({ isServed: true, isProven: true, problem: null, checks: 0 })
    expect(hoursFromNow(state.nextCheckAt)).toBe(24)
  })

  it('is served by DNS alone where no host is asked', () => {
    expect(decide(added, { probe: undefined, needsProbe: false })).toMatchObject({
      isServed: true,
      isProven: true,
      problem: null,
    })
  })

  it.each([
    ['txt-missing', { proof: 'missing' }],
    ['dns-slow', { proof: 'unknown' }],
    ['direction-missing', { direction: 'missing' }],
    ['dns-slow', { direction: 'unknown' }],
    ['cname-loop', { direction: 'missing', isLoop: true }],
    ['proxied', { direction: 'missing', isProxied: true }],
    ['taken', { isTaken: true }],
    ['unreachable', { probe: none }],
    ['other-server', { probe: { ...none, answer: 'other' } }],
    ['proxied', { probe: { ...none, answer: 'other', isCloudflare: true } }],
    ['caa', { probe: none, excludesIssuer: true }],
  ] as const)('names the problem %s and is not served: %j', (problem, findings) => {
    expect(decide(added, findings)).toMatchObject({ isServed: false, problem })
  })

  it('may have a certificate as soon as DNS is right', () => {
    expect(decide(added, { probe: none })).toMatchObject({ isServed: false, isProven: true })
    expect(decide(added, { proof: 'missing' })).toMatchObject({ isProven: false })
    expect(decide(added, { direction: 'missing' })).toMatchObject({ isProven: false })
  })

  it('is served without a certificate, and its problem says why there is none', () => {
    const selfSigned = { ...right.probe, answer: 'ours', isCloudflare: false } as const
    const probe = { ...selfSigned, certificate: { ...certificate, isValid: false } }
    expect(decide(added, { probe })).toMatchObject({ isServed: true, problem: null })
    expect(decide(added, { probe, excludesIssuer: true })).toMatchObject({
      isServed: true,
      problem: 'caa',
    })
  })

  it('is checked after growing pauses, a day at most', () => {
    const pauses = Array.from({ length: 12 }, (_, checks) =>
      hoursFromNow(decide({ ...added, checks }, { proof: 'missing' }).nextCheckAt),
    )
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b))
    expect(pauses[0]).toBeCloseTo(1 / 60)
    expect(pauses.at(-1)).toBe(24)
  })
})

describe('a domain that is served', () => {
  it('stays when its host does not answer: the server may not reach itself', () => {
    expect(decide(verified, { probe: none })).toMatchObject({
      isServed: true,
      isProven: true,
      failingSince: null,
      problem: 'unreachable',
    })
  })

  it.each([
    [0, true, undefined, 0],
    [13.9, true, undefined, 0],
    [14, true, 16, 1],
    [28, true, 2, 2],
    [29.9, true, 1, 2],
    [30, false, 0, 0],
    [400, false, 0, 0],
  ])(
    'with wrong records for %d days: served %s, email with %s days',
    (days, isServed, daysLeft, warnings) => {
      const failing = { ...verified, failingSince: daysAgo(days) }
      expect(decide(failing, { direction: 'missing' })).toMatchObject({
        isServed,
        isProven: false,
        daysLeft,
        warnings,
      })
    },
  )

  it('gets each email once, and a late one instead of two', () => {
    const findings = { proof: 'missing' } as const
    const at = (days: number, warnings: number) =>
      decide({ ...verified, failingSince: daysAgo(days), warnings }, findings).daysLeft
    expect(at(15, 1)).toBeUndefined()
    expect(at(29, 2)).toBeUndefined()
    expect(at(29, 0)).toBe(1)
  })

  it('starts again when its records are right', () => {
    const failing = { ...verified, failingSince: daysAgo(20), warnings: 1, isProven: false }
    expect(decide(failing)).toMatchObject({ failingSince: null, warnings: 0, isProven: true })
  })

  it('keeps its certificate while name servers do not answer', () => {
    expect(decide(verified, { proof: 'unknown' })).toMatchObject({
      isServed: true,
      isProven: true,
      problem: 'dns-slow',
      failingSince: now,
    })
  })

  it('ends at once when its host is blocked', () => {
    expect(decide({ ...verified, isBlocked: true })).toMatchObject({
      isServed: false,
      isProven: false,
      problem: 'blocked',
      daysLeft: undefined,
    })
  })
})

it('no findings serve a domain without its proof, nor one of another account', () => {
  const reading = fc.constantFrom('right', 'missing', 'unknown')
  const findings = fc.record({
    proof: reading,
    direction: reading,
    isLoop: fc.boolean(),
    isProxied: fc.boolean(),
    isTaken: fc.boolean(),
    probe: fc.option(
      fc.record({
        answer: fc.constantFrom('ours', 'other', 'none'),
        isCloudflare: fc.boolean(),
        certificate: fc.constantFrom(undefined, certificate),
      }),
      { nil: undefined },
    ),
    needsProbe: fc.boolean(),
    excludesIssuer: fc.boolean(),
  })
  const domain = fc.record({
    isServed: fc.constant(false),
    isProven: fc.boolean(),
    isBlocked: fc.boolean(),
    failingSince: fc.constantFrom(null, daysAgo(1), daysAgo(40)),
    warnings: fc.nat(2),
    checks: fc.nat(2_000),
  })
  let served = 0
  fc.assert(
    fc.property(domain, findings, (row, found) => {
      const state = decideDomain(row, found as DomainFindings, now)
      expect([null, ...domainProblems]).toContain(state.problem)
      expect(state.nextCheckAt.getTime()).toBeGreaterThan(now.getTime())
      if (!state.isServed) return
      served++
      expect(row.isBlocked || found.isTaken).toBe(false)
      expect([found.proof, found.direction]).toEqual(['right', 'right'])
      if (found.needsProbe) expect(found.probe?.answer).toBe('ours')
    }),
    { numRuns: 2_000 },
  )
  expect(served).toBeGreaterThan(5)
})
