import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { createCounts } from '../primitives/counts.ts'
import { keepCertifiedHosts, readCertifiedHosts } from './certified-hosts.ts'
import type { Hosts } from './hosts.ts'

/** A name of DNS as a TLS server asks for it. */
const namePattern = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/
const maxNameLength = 253

interface TlsAskDeps {
  config: Pick<Config, 'dataDir' | 'publicUrl' | 'linksUrl'>
  log: Logger
}

export type TlsAsk = Awaited<ReturnType<typeof openTlsAsk>>

/**
 * Answers whether a TLS server in front may get a certificate for a host: it is this server's, or a domain that is served or proven. From
 * memory alone, because handshakes wait for it. Until the domains are read, the copy in the data directory answers: all customers' TLS would
 * fail while the database is away.
 */
export async function openTlsAsk({ config, log }: TlsAskDeps) {
  const { dataDir, publicUrl, linksUrl } = config
  const earlier = new Set(await readCertifiedHosts(dataDir, log))
  for (const url of [publicUrl, linksUrl]) if (url) earlier.add(new URL(url).hostname)
  let mayHaveCertificate = (host: string): boolean => earlier.has(host)
  let keeper: ReturnType<typeof keepCertifiedHosts> | undefined
  const counts = createCounts(['allowed', 'refused'])
  return {
    /** @param asked in any case, perhaps with a trailing dot */
    allows(asked: string): boolean {
      const host = asked.length > maxNameLength + 1 ? '' : asked.toLowerCase().replace(/\.$/, '')
      const isAllowed = namePattern.test(host) && mayHaveCertificate(host)
      counts.add(isAllowed ? 'allowed' : 'refused')
      return isAllowed
    },
    /** Answers by the hosts in memory from now on, and keeps their copy. */
    follow(hosts: Pick<Hosts, 'domains' | 'mayHaveCertificate'> & OnChange): void {
      mayHaveCertificate = hosts.mayHaveCertificate
      earlier.clear()
      keeper = keepCertifiedHosts(dataDir, hosts.domains.allowed, log)
      keeper.changed()
      hosts.onChange(keeper.changed)
    },
    counts,
    close: async () => keeper?.close(),
  }
}

interface OnChange {
  onChange(listener: () => void): void
}
