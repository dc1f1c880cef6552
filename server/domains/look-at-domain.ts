import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { callbackify } from 'node:util'
import { queryAs } from '../postgres/rows.ts'
import type { LookUpAll } from '../primitives/public-address.ts'
import { type DomainCheckDeps, domainRole, type CheckedRow } from './checked-row.ts'
import type { DomainFindings } from './decide-domain.ts'
import { excludesIssuer, isCloudflare, readDirection, readProof } from './dns-facts.ts'
import { targetsOf } from './domain-targets.ts'
import { probeHost, type ProbeResult } from './probe-host.ts'
import { type DnsAnswers, type DnsOptions, withDns } from './read-dns.ts'

/** Servers hear that a host may have a certificate before it is asked again. */
const secondProbeMs = 2_000

/** A check: the answers of DNS, and their meaning. */
export interface DomainLook {
  answers: DnsAnswers
  findings: DomainFindings
}

/** Asks DNS about a domain, and its host over https when the records are right. */
export async function lookAtDomain(row: CheckedRow, deps: DomainCheckDeps): Promise<DomainLook> {
  const { domains } = deps.config
  const targets = targetsOf(deps.config)
  const answers = await withDns(domains.dns, (dns) => dns.read(row.host, targets.linksHost))
  const proof = readProof(answers, row.token)
  const direction = readDirection(answers, targets)
  const isProxied = answers.addresses.found.some(isCloudflare)
  const isTaken = row.holder_token !== null && readProof(answers, row.holder_token) !== 'missing'
  // A proxy hides the records: the host itself may show that it leads here.
  const isWorthAsking = direction === 'right' || (direction === 'missing' && isProxied)
  const mayProbe = domains.probes && !row.is_blocked && proof === 'right' && isWorthAsking
  const probe = mayProbe ? await probeDomain(row, deps, direction === 'right') : undefined
  const isHidden = direction === 'missing' && isProxied && probe?.answer === 'ours'
  const findings: DomainFindings = {
    proof,
    direction: isHidden ? 'right' : direction,
    isLoop: answers.chain.isLoop,
    isProxied,
    isTaken,
    probe,
    needsProbe: domains.probes,
    excludesIssuer:
      probe !== undefined &&
      probe.certificate?.isValid !== true &&
      excludesIssuer(await withDns(domains.dns, (dns) => dns.issuersOf(row.host))),
  }
  return { answers, findings }
}

async function probeDomain(
  row: CheckedRow,
  deps: DomainCheckDeps,
  leadsHere: boolean,
): Promise<ProbeResult> {
  const isNew = leadsHere && !row.is_proven
  // A proxy in front of the server asks whether the host may have a certificate: from now on it may.
  if (isNew)
    await queryAs(deps.database, { role: domainRole }, 'select app.prove_domain($1)', [row.id])
  const probe = await probeOnce(row, deps)
  if (!isNew || probe.answer === 'ours') return probe
  await sleep(secondProbeMs)
  return probeOnce(row, deps)
}

function probeOnce(
  { host, installation }: CheckedRow,
  { config, getPublic, version }: DomainCheckDeps,
): Promise<ProbeResult> {
  const { domains, webhooks, publicUrl, linksUrl } = config
  return probeHost(host, installation, {
    getPublic,
    allowsPrivate: webhooks.allowsPrivate,
    port: new URL(linksUrl).port,
    timeoutMs: domains.probeTimeoutMs,
    userAgent: `Hoplet-Domain-Check/${version} (+${publicUrl})`,
    lookUp: lookUpWith(domains.dns),
  })
}

/** Looks a name up at the name servers of the settings. */
function lookUpWith(options: DnsOptions): LookUpAll {
  return (host, _options, done) =>
    callbackify(addressesOf)(host, options, (error, addresses) => done(error, addresses))
}

async function addressesOf(host: string, options: DnsOptions): Promise<LookupAddress[]> {
  const { found } = await withDns(options, (dns) => dns.addressesOf(host))
  return found.map((address) => ({ address, family: isIP(address) }))
}
