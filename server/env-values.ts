import { getHeapStatistics } from 'node:v8'
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { Cron } from 'croner'
import { z } from 'zod'
import { asciiAddress, isAddress } from './mail/settings.ts'
import { parseStreamAddress } from './visits/stream/stream-address.ts'

const probe = Buffer.from('hoplet')
/** Each has separate connections to the database. */
const maxWorkers = 128
const privateJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
})

export const onOff = z.enum(['on', 'off']).transform((value) => value === 'on')
export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most))

/** Share of the heap for the name cache. */
const maxCachePart = 0.6

/** Megabytes of memory. The limit of the heap would end the process. */
export const cacheMegabytes = wholeNumber(1, 1_000_000).superRefine((megabytes, context) => {
  const limit = getHeapStatistics().heap_size_limit
  if (megabytes * 2 ** 20 <= limit * maxCachePart) return
  const wanted = Math.ceil(megabytes / maxCachePart)
  context.addIssue(
    `is more than ${maxCachePart * 100} % of the ${Math.floor(limit / 2 ** 20)} MB that Node gives a process here; lower it, or set NODE_OPTIONS=--max-old-space-size=${wanted}`,
  )
})

/** A number of workerCount, or `auto`: as many as this machine runs at once. */
export const workerCount = z
  .string()
  .regex(/^(?:\d+|auto)$/, 'must be a whole number or auto')
  .transform((text) =>
    text === 'auto' ? Math.min(availableParallelism(), maxWorkers) : Number(text),
  )
  .refine((count) => count >= 1 && count <= maxWorkers, `must be between 1 and ${maxWorkers}`)

/** One number for all plans, or `free=90,pro=400,business=800`. */
export const retentionDays = z
  .string()
  .regex(
    /^(?:\d+|free=\d+,pro=\d+,business=\d+)$/,
    'must be a number of days, or free=N,pro=N,business=N',
  )
  .transform((text) => {
    const [free = '', pro = free, business = free] = text.match(/\d+/g) ?? []
    return { free: Number(free), pro: Number(pro), business: Number(business) }
  })
  .refine(
    (days) => Object.values(days).every((each) => each >= 1 && each <= 3_650),
    'must be between 1 and 3650 days',
  )

/** How many backups, or `daily=7,weekly=4,monthly=6`. */
export const backupKeep = z
  .string()
  .regex(
    /^(?:[1-9]\d{0,3}|daily=\d{1,4},weekly=\d{1,4},monthly=\d{1,4})$/,
    'must be a number of backups, or daily=N,weekly=N,monthly=N',
  )
  .transform((text) => {
    const [first = '', weekly, monthly] = text.match(/\d+/g) ?? []
    return weekly === undefined
      ? { count: Number(first) }
      : { daily: Number(first), weekly: Number(weekly), monthly: Number(monthly) }
  })
  .refine((keep) => Object.values(keep).some((each) => each > 0), 'must keep at least one backup')

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL', abort: true })
  .refine((url) => {
    const { username, password, search, hash } = new URL(url)
    return username + password + search + hash === ''
  }, 'must have no user, query or fragment')

/** Addresses apart by commas or blanks; only their paths may have wildcards (auth/redirects.ts). */
export const redirectUrls = z
  .string()
  .transform((list) => list.split(/[\s,]+/).filter(Boolean))
  .pipe(
    z.array(
      httpUrl.refine(
        (url) => !new URL(url).host.includes('*'),
        'must name its host in full: only the path may have * or **',
      ),
    ),
  )

/** `name=value` pairs apart by commas, values percent-encoded. */
export const headerList = z
  .string()
  .regex(
    /^[\w!#$%&'*+.^`|~-]+=[^,]*(,[\w!#$%&'*+.^`|~-]+=[^,]*)*$/,
    'must be name=value,name=value',
  )
  .transform((list) =>
    Object.fromEntries(
      list.split(',').map((pair) => {
        const at = pair.indexOf('=')
        return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))]
      }),
    ),
  )

/** `journal`, or the addresses of NATS servers. */
export const clickLog = z.string().transform((text, context) => {
  if (text === 'journal') return undefined
  const address = parseStreamAddress(text)
  if (typeof address !== 'string') return address
  context.addIssue(address)
  return z.NEVER
})

/** An email address, or a URI as RFC 9116 takes it. */
export const securityContact = z.string().transform((text, context) => {
  if (isAddress(text)) return `mailto:${asciiAddress(text)}`
  const isUri = /^(?:https:\/\/|mailto:|tel:)[\x21-\x7e]+$/.test(text) && URL.canParse(text)
  if (isUri) return text
  context.addIssue(
    'must be an email address, or an address that begins with https://, mailto: or tel:',
  )
  return z.NEVER
})

export const stripePrice = z.string().regex(/^price_\w+$/, 'must be the id of a price (price_…)')
/** Also `postgres://user@/database?host=/run/postgresql`, a socket as libpq writes it, which is not a URL. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text.replace('@/', '@socket/'))
}

export function isCronExpression(text: string): boolean {
  try {
    new Cron(text, { paused: true, mode: '5-part', timezone: 'UTC' })
    return true
  } catch {
    return false
  }
}

export function isSigningKey(text: string): boolean {
  try {
    const jwk = privateJwk.parse(JSON.parse(text))
    const { d: _private, ...publicJwk } = jwk
    // With halves that do not belong together, no signature could be verified.
    const signature = sign('sha256', probe, createPrivateKey({ key: jwk, format: 'jwk' }))
    return verify('sha256', probe, createPublicKey({ key: publicJwk, format: 'jwk' }), signature)
  } catch {
    return false
  }
}

/** Addresses of a list, in the form of DNS answers. */
export const ipAddresses = z
  .string()
  .transform((text) => text.split(',').map((address) => address.trim()))
  .refine(
    (addresses) => addresses.length <= 20 && addresses.every((address) => isIP(address) !== 0),
    'must be up to 20 IP addresses, separated by commas',
  )
  .transform((addresses) => addresses.map(shortestForm))

/** `2001:DB8:0::1` is `2001:db8::1`. */
function shortestForm(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
}

/** Addresses of name servers, perhaps with ports. */
export const dnsServers = z
  .string()
  .transform((text) => text.split(',').map((server) => server.trim()))
  .refine(
    (servers) => servers.length <= 10 && servers.every(isServer),
    'must be IP addresses of name servers, perhaps with ports, separated by commas: 10.0.0.53,[fd00::53]:5353',
  )

function isServer(text: string): boolean {
  const [, bracketed, plain, port = '53'] =
    /^(?:\[([^\]]+)\]|([^:]+|[^.]*:[^.]*:.*))(?::(\d{1,5}))?$/.exec(text) ?? []
  const address = bracketed ?? plain ?? ''
  return isIP(address) !== 0 && Number(port) > 0 && Number(port) < 65_536
}
