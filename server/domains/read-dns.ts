import { promises as dns } from 'node:dns'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../primitives/error-code.ts'

/** Maximum CNAME records between a host and its server. */
const maxHops = 8
/** Records of a name that are read; the rest of a longer list is left. */
const maxRecords = 100
/** A CAA record is looked for at a host and at so many names above it. */
const maxParents = 5

/** Answer to a question: without records, unless the name servers gave none in time. */
interface Answer<Value> {
  found: Value[]
  isSlow: boolean
}

export interface DnsAnswers {
  /** The texts at `_hoplet.` and the host. */
  texts: Answer<string>
  /** Hosts that the CNAME records lead to, in their order. */
  chain: Answer<string> & { isLoop: boolean }
  /** IPv4 and IPv6 addresses. */
  addresses: Answer<string>
  /** Addresses of the host to which domains have to lead. */
  target: Answer<string>
}

export interface DnsOptions {
  /** IP addresses, perhaps with ports; empty: those of the system. */
  servers: readonly string[]
  timeoutMs: number
}

/** Runs questions to name servers, all of which end within `timeoutMs`. */
export async function withDns<Result>(
  options: DnsOptions,
  work: (dns: DnsReader) => Promise<Result>,
): Promise<Result> {
  const reader = createDnsReader(options)
  try {
    return await work(reader)
  } finally {
    await reader.close()
  }
}

type DnsReader = ReturnType<typeof createDnsReader>

function createDnsReader({ servers, timeoutMs }: DnsOptions) {
  const resolver = new dns.Resolver({ timeout: Math.ceil(timeoutMs / 2.5), tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  const ended = new AbortController()
  const deadline = sleep(timeoutMs, undefined, { signal: ended.signal }).then(
    () => resolver.cancel(),
    () => {},
  )
  const answer = async <Value>(question: Promise<Value[]>): Promise<Answer<Value>> => {
    try {
      return { found: (await question).slice(0, maxRecords), isSlow: false }
    } catch (error) {
      // No such name, or no record of this type.
      return { found: [], isSlow: !['ENODATA', 'ENOTFOUND'].includes(errorCode(error) ?? '') }
    }
  }
  const addressesOf = async (host: string): Promise<Answer<string>> => {
    const both = await Promise.all([
      answer(resolver.resolve4(host)),
      answer(resolver.resolve6(host)),
    ])
    return { found: both.flatMap(({ found }) => found), isSlow: both.some(({ isSlow }) => isSlow) }
  }
  const chainOf = async (host: string): Promise<DnsAnswers['chain']> => {
    const found: string[] = []
    for (let name = host; found.length < maxHops;) {
      const { found: names, isSlow } = await answer(resolver.resolveCname(name))
      if (names[0] === undefined) return { found, isSlow, isLoop: false }
      name = names[0].toLowerCase().replace(/\.$/, '')
      if (name === host || found.includes(name)) return { found, isSlow: false, isLoop: true }
      found.push(name)
    }
    return { found, isSlow: false, isLoop: false }
  }
  return {
    async read(host: string, targetHost: string): Promise<DnsAnswers> {
      const [texts, chain, addresses, target] = await Promise.all([
        answer(resolver.resolveTxt(`_hoplet.${host}`)),
        chainOf(host),
        addressesOf(host),
        addressesOf(targetHost),
      ])
      const whole = texts.found.map((parts) => parts.join(''))
      return { texts: { ...texts, found: whole }, chain, addresses, target }
    },
    addressesOf,
    /** Issuers of the nearest CAA records at or above a host (RFC 8659); empty: any issuer may. */
    async issuersOf(host: string): Promise<string[]> {
      const labels = host.split('.')
      const names = labels.slice(0, maxParents + 1).map((_, at) => labels.slice(at).join('.'))
      const answers = await Promise.all(names.map((name) => answer(resolver.resolveCaa(name))))
      const nearest = answers.find(({ found }) => found.length > 0)
      return (nearest?.found ?? []).flatMap(({ issue }) => (issue === undefined ? [] : [issue]))
    },
    async close(): Promise<void> {
      ended.abort()
      await deadline
    },
  }
}
