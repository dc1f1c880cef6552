import { looksLatin, mixesScripts } from './look-alikes.ts'
import { unicodeHost } from './unicode-host.ts'

/** Sentences for a host that cannot be the domain of an account, by their reason. */
export const domainHostSentences = {
  empty: 'Please enter a domain',
  url: 'Please enter the host only, without https:// and without a path: go.example.com',
  port: 'A domain has no port',
  address: 'Please enter a name: an IP address cannot be a domain',
  wildcard: 'A domain cannot have a wildcard: please add each host',
  underscore: 'A host cannot have an underscore',
  characters: 'A host has letters, digits, hyphens and dots only',
  syntax: 'This is not a host name',
  length: 'A host has at most 253 characters, and 63 between two dots',
  'single-label': 'A domain needs a dot: go.example.com',
  reserved: 'This name is reserved and cannot be registered in DNS',
  'public-suffix': 'This is a public suffix, under which people register their domains',
  'mixed-scripts': 'A label of this host mixes letters of several scripts',
  'look-alike': 'A label of this host looks like another one in Latin letters',
} as const

export type DomainHostProblem = keyof typeof domainHostSentences

export type DomainHostCheck =
  | { readonly ok: true; readonly host: string }
  | { readonly ok: false; readonly reason: DomainHostProblem }

const maxLength = 253
/** Typed characters; the ASCII form of a host is longer. */
const maxTyped = 1_000
const isIp = /^(\[.*\]|\d+(\.\d+){3})$/
const isPlainLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/
/** Characters of a label in Unicode; the middle dot is Catalan. */
const isReadable = /^[\p{L}\p{M}\p{N}·-]+$/u

/** Faults of the typed text that the URL parser would hide. */
const typedFaults: readonly [RegExp, DomainHostProblem][] = [
  [/^$/, 'empty'],
  [/[/?#@\\]/, 'url'],
  [/[\p{C}\p{Z}%]/u, 'characters'],
  [/^\[|:.*:/, 'address'],
  [/:/, 'port'],
  [/\*/, 'wildcard'],
  [/_/, 'underscore'],
  [/^[.。．｡]|[.。．｡]{2}/u, 'syntax'],
]

/** Endings that public DNS never has (RFC 6761, 7686, 3172). */
const reservedEnding = /\.(?:localhost|invalid|onion|arpa)$/

/**
 * Reads the host of a domain as a person types it: in Unicode or ASCII, in any case, with a dot at its end. `host` is its ASCII form.
 * Public suffixes are known to the server only (server/tables/checks/read-domain.ts).
 */
export function readDomainHost(typed: string): DomainHostCheck {
  const text = typed.trim()
  if (text.length > maxTyped) return refuse('length')
  const fault = typedFaults.find(([pattern]) => pattern.test(text))
  if (fault) return refuse(fault[1])
  const host = toAscii(text)
  if (host === undefined) return refuse('syntax')
  if (isIp.test(host)) return refuse('address')
  const labels = host.split('.')
  if (host.length > maxLength || labels.some(({ length }) => length > 63)) return refuse('length')
  if (!labels.every((label) => isPlainLabel.test(label))) return refuse('syntax')
  if (labels.length < 2) return refuse('single-label')
  if (reservedEnding.test(host)) return refuse('reserved')
  const problem = problemOfLabels(unicodeHost(host).split('.'))
  return problem ? refuse(problem) : { ok: true, host }
}

function problemOfLabels(labels: readonly string[]): DomainHostProblem | undefined {
  const topLevel = labels.at(-1) ?? ''
  if (!labels.every((label) => isReadable.test(label))) return 'characters'
  if (labels.some(mixesScripts)) return 'mixed-scripts'
  // A top-level domain in another script has readers of that script.
  const isLatin = /^[a-z0-9-]+$/.test(topLevel)
  if (isLatin && labels.some((label) => looksLatin(label, topLevel))) return 'look-alike'
  return undefined
}

/** By UTS 46, as browsers do. */
function toAscii(text: string): string | undefined {
  try {
    return new URL(`http://${text}`).hostname.replace(/\.$/, '')
  } catch {
    return undefined
  }
}

function refuse(reason: DomainHostProblem): DomainHostCheck {
  return { ok: false, reason }
}
