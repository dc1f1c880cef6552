/** Reasons of a domain that is not verified or has no certificate: the first that is true. */
export const domainProblems = [
  /** An admin blocked the host. */
  'blocked',
  /** The name servers did not answer. */
  'dns-slow',
  'txt-missing',
  /** CNAME records lead to each other. */
  'cname-loop',
  /** Cloudflare's proxy hides the records, or answers itself. */
  'proxied',
  'direction-missing',
  /** Another account serves the host, and its proof is still there. */
  'taken',
  /** CAA records exclude Let's Encrypt. */
  'caa',
  'unreachable',
  'other-server',
] as const

export type DomainProblem = (typeof domainProblems)[number]

/** Types of the DNS records that an owner creates. */
export const domainRecordTypes = ['TXT', 'CNAME', 'A', 'AAAA'] as const
