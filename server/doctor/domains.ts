import { z } from 'zod'
import { readInstallation } from '../peers/installation.ts'
import { queryAs } from '../postgres/rows.ts'
import { checkCertificate } from './address.ts'
import { type DoctorDeps, type Finding, ok, okIf, problem, reasonOf, warning } from './finding.ts'

const timeoutMs = 10_000
/** Hosts that a sentence names. */
const maxNamed = 10

const installationId = z.object({ hoplet: z.string() })

/** LINKS_URL, and settings that domains of accounts need. */
export async function checkDomains(deps: DoctorDeps): Promise<Finding[]> {
  const { config, database } = deps
  const { publicId } = await readInstallation(database)
  const [facts] = await queryAs<{ served: number; unknown: string[] }>(
    database,
    { role: 'hoplet_worker', readOnly: true },
    `select (select count(*)::int from app.domains where is_served) as served,
      array(select distinct unnest(s.unknown_hosts) from app.servers s where s.seen_at > now() - interval '45 seconds' order by 1) as unknown`,
  )
  const { served, unknown } = facts ?? { served: 0, unknown: [] }
  return [
    ...(await checkLinksUrl(config, publicId)),
    ok(served === 0 ? 'No account has a verified domain.' : `Verified domains: ${served}.`),
    ...(served === 0 ? [] : checkSettingsOfDomains(config)),
    ...checkUnknownHosts(config, unknown),
  ]
}

async function checkLinksUrl(
  { linksUrl, publicUrl }: DoctorDeps['config'],
  publicId: string,
): Promise<Finding[]> {
  if (linksUrl === undefined || linksUrl === publicUrl) return []
  const { hostname, protocol, port } = new URL(linksUrl)
  const certificate =
    protocol === 'https:' ? [await checkCertificate(hostname, Number(port || 443))] : []
  try {
    const response = await fetch(`${linksUrl}/.well-known/hoplet`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { hoplet } = installationId.parse(await response.json())
    const leadsHere = okIf(
      hoplet === publicId,
      `${linksUrl} (LINKS_URL) leads to this Hoplet.`,
      problem(`${linksUrl} (LINKS_URL) leads to a Hoplet with another database.`),
    )
    return [leadsHere, ...certificate]
  } catch (error) {
    const why = `${linksUrl} (LINKS_URL) does not lead to Hoplet (${reasonOf(error)})`
    return [
      problem(`${why}: new short links do not work. Look at the name in DNS, the proxy and TLS.`),
      ...certificate,
    ]
  }
}

function checkSettingsOfDomains({ admin, unknownHosts }: DoctorDeps['config']): Finding[] {
  return [
    okIf(
      admin !== undefined,
      `A proxy asks /tls/ask at port ${admin?.port} which hosts may have a certificate.`,
      warning(
        'ADMIN_PORT is not set, so no proxy can ask which domains may have a certificate. Set ADMIN_PORT=9464 and use ' +
          'deploy/Caddyfile.domains, unless you make certificates by hand (docs/domains.md).',
      ),
    ),
    okIf(
      unknownHosts === 'refuse',
      'Unknown hosts are refused.',
      warning(
        "UNKNOWN_HOSTS=serve: a host that points here and is nobody's domain shows the links of this server. Set UNKNOWN_HOSTS=refuse.",
      ),
    ),
  ]
}

function checkUnknownHosts(
  { unknownHosts }: DoctorDeps['config'],
  unknown: readonly string[],
): Finding[] {
  if (unknown.length === 0) return []
  const named = unknown.slice(0, maxNamed).join(', ')
  const more = unknown.length > maxNamed ? ` and ${unknown.length - maxNamed} more` : ''
  const answer = unknownHosts === 'refuse' ? 'got 421' : 'got the links of this server'
  return [
    warning(
      `Requests for unknown hosts ${answer}: ${named}${more}. One that is yours belongs into PUBLIC_URL or LINKS_URL, or is the domain of an account.`,
    ),
  ]
}
