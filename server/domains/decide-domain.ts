import type { DomainProblem } from '#domain/domains/domain-problems.ts'
import type { Reading } from './dns-facts.ts'
import type { ProbeResult } from './probe-host.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
/** Pauses between checks of a domain that was never verified; the last one repeats. */
const pausesMinutes = [1, 2, 5, 10, 30, 60, 180, 360, 720, 1_440]
/** For so long a domain is served with wrong records. */
const graceDays = 30
/** Days after the first check that failed, each with an email. */
const warningDays = [14, 28]

/** Facts of the row before the check. */
export interface CheckedDomain {
  isServed: boolean
  isProven: boolean
  isBlocked: boolean
  failingSince: Date | null
  warnings: number
  checks: number
}

/** Findings of a check. */
export interface DomainFindings {
  proof: Reading
  /** In DNS, or by an answer of this server through a proxy. */
  direction: Reading
  isLoop: boolean
  isProxied: boolean
  /** Another account serves the host, and its proof is still there. */
  isTaken: boolean
  /** Undefined: the host was not asked. */
  probe: ProbeResult | undefined
  /** Whether probes are made at all. */
  needsProbe: boolean
  excludesIssuer: boolean
}

export interface DomainState {
  isServed: boolean
  isProven: boolean
  problem: DomainProblem | null
  failingSince: Date | null
  warnings: number
  checks: number
  nextCheckAt: Date
  /** The email that the result asks for: days until the domain is lost; 0: it is lost. */
  daysLeft: number | undefined
}

/** Decides about a domain after a check. */
export function decideDomain(
  domain: CheckedDomain,
  findings: DomainFindings,
  now: Date,
): DomainState {
  const problem = problemOf(domain, findings)
  const isProven = isProvenBy(domain, findings)
  if (domain.isBlocked) return unproven(domain, { problem, isProven: false }, now)
  if (domain.isServed) return ofServed(domain, findings, { problem, isProven }, now)
  const isVerified = isProven && isRight(findings) && isOurs(findings) && !findings.isTaken
  if (!isVerified) return unproven(domain, { problem, isProven }, now)
  return served({ problem, isProven }, now)
}

type Base = Pick<DomainState, 'problem' | 'isProven'>

function ofServed(
  domain: CheckedDomain,
  findings: DomainFindings,
  base: Base,
  now: Date,
): DomainState {
  // A probe that fails says less than DNS: the server may not be able to reach itself.
  if (isRight(findings)) return served(base, now)
  const failingSince = domain.failingSince ?? now
  const days = (now.getTime() - failingSince.getTime()) / dayMs
  if (days >= graceDays) {
    const lost = unproven({ ...domain, checks: 0 }, { ...base, isProven: false }, now)
    return { ...lost, failingSince, daysLeft: 0 }
  }
  const warnings = warningDays.filter((day) => days >= day).length
  return {
    ...base,
    isServed: true,
    failingSince,
    warnings: Math.max(warnings, domain.warnings),
    checks: 0,
    nextCheckAt: new Date(now.getTime() + dayMs / 4),
    daysLeft: warnings > domain.warnings ? Math.ceil(graceDays - days) : undefined,
  }
}

function served(base: Base, now: Date): DomainState {
  const nextCheckAt = new Date(now.getTime() + dayMs)
  return {
    ...base,
    isServed: true,
    failingSince: null,
    warnings: 0,
    checks: 0,
    nextCheckAt,
    daysLeft: undefined,
  }
}

function unproven({ checks, failingSince }: CheckedDomain, base: Base, now: Date): DomainState {
  const pause = pausesMinutes[Math.min(checks, pausesMinutes.length - 1)] ?? 0
  return {
    ...base,
    isServed: false,
    failingSince,
    warnings: 0,
    checks: Math.min(checks + 1, 1_000),
    nextCheckAt: new Date(now.getTime() + pause * minuteMs),
    daysLeft: undefined,
  }
}

function isRight({ proof, direction }: DomainFindings): boolean {
  return proof === 'right' && direction === 'right'
}

function isOurs({ probe, needsProbe }: DomainFindings): boolean {
  return !needsProbe || probe?.answer === 'ours'
}

/** Name servers that do not answer change nothing yet. */
function isProvenBy(domain: CheckedDomain, findings: DomainFindings): boolean {
  const { proof, direction } = findings
  if (proof === 'missing' || direction === 'missing') return false
  return isRight(findings) || domain.isProven
}

function problemOf({ isBlocked }: CheckedDomain, findings: DomainFindings): DomainProblem | null {
  const { proof, direction, isLoop, isProxied, isTaken, probe } = findings
  if (isBlocked) return 'blocked'
  if (proof === 'missing') return 'txt-missing'
  if (proof === 'unknown') return 'dns-slow'
  if (direction !== 'right') {
    if (isLoop) return 'cname-loop'
    if (isProxied) return 'proxied'
    return direction === 'unknown' ? 'dns-slow' : 'direction-missing'
  }
  if (isTaken) return 'taken'
  return problemOfProbe(probe, findings)
}

function problemOfProbe(
  probe: ProbeResult | undefined,
  { excludesIssuer }: DomainFindings,
): DomainProblem | null {
  if (!probe || probe.certificate?.isValid) return probe ? answerProblem(probe) : null
  if (excludesIssuer) return 'caa'
  return answerProblem(probe)
}

function answerProblem({ answer, isCloudflare }: ProbeResult): DomainProblem | null {
  if (answer === 'ours') return null
  if (isCloudflare) return 'proxied'
  return answer === 'other' ? 'other-server' : 'unreachable'
}
