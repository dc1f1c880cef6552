import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SourceRecord } from '#domain/transfer/imported.ts'
import type { ApiSourceId } from '#domain/transfer/sources.ts'

// Small servers in the place of the APIs that imports read, written from their published descriptions: paging, tokens, limits, faults.

/** An answer in the place of the next one. */
export interface OddAnswer {
  status?: number
  headers?: Record<string, string>
  /** Default: an object with a message. */
  body?: string
}

export interface SourceServer {
  origin: string
  token: string
  /** Paths with their queries, in the order in which they came. */
  requests: string[]
  /** Answers of the next requests, the first one first; undefined answers as usual. */
  odd: (OddAnswer | undefined)[]
  /** Requests that the token is still good for. Default: any number. */
  requestsLeft: number
  close(): Promise<void>
}

export interface SourceServerOptions {
  token?: string
  /** Maximum per page, also when more are asked for. */
  pageSize?: number
}

interface Request {
  url: URL
  headers: IncomingMessage['headers']
  records: readonly SourceRecord[]
  pageSize: number
  token: string
}

/** Undefined: there is no such path. */
type Answer = { status?: number; body: unknown } | undefined

interface Service {
  /** Whether the request has the token at the place where this service wants it. */
  accepts(request: Request): boolean
  /** Status for a wrong token. */
  refusal: number
  answer(request: Request): Answer
}

/** Starts the API of a source with these records. */
export async function startSourceServer(
  source: ApiSourceId,
  records: readonly SourceRecord[],
  { token = 'good-token', pageSize = 1_000 }: SourceServerOptions = {},
): Promise<SourceServer> {
  const service = services[source]
  const take = (incoming: IncomingMessage, response: ServerResponse) => {
    const path = incoming.url ?? '/'
    state.requests.push(path)
    const odd = state.odd.shift()
    if (odd) {
      const { status = 200, headers = {}, body = '{"message":"no"}' } = odd
      return void response.writeHead(status, headers).end(body)
    }
    const url = new URL(path, 'http://localhost')
    const request: Request = { url, headers: incoming.headers, records, pageSize, token }
    const isGood = service.accepts(request) && state.requestsLeft-- > 0
    const answer = isGood
      ? (service.answer(request) ?? { status: 404, body: {} })
      : { status: service.refusal, body: { message: 'FORBIDDEN' } }
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' }).end(text)
  }
  const server = createServer(take)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const state: SourceServer = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    requests: [],
    odd: [],
    requestsLeft: Number.POSITIVE_INFINITY,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return state
}

const bearer = ({ headers, token }: Request) => headers.authorization === `Bearer ${token}`
const keyIn =
  (name: string) =>
  ({ headers, token }: Request) =>
    headers[name] === token

function numberOf(url: URL, name: string, fallback: number): number {
  return Number(url.searchParams.get(name) ?? fallback)
}

function pageFrom({ records, pageSize }: Request, start: number, size: number) {
  return records.slice(start, start + Math.min(size, pageSize))
}

/** Behind the record with this id; from the start without one. */
function indexAfter(records: readonly SourceRecord[], id: string | null): number {
  return id === null ? 0 : records.findIndex((record) => record['id'] === id) + 1
}

/** Records belong to the groups `Bo1` and `Bo2` in turn; without `archived=both` archived ones are missing. */
function answerBitly(request: Request): Answer {
  const { url, records } = request
  if (url.pathname === '/v4/groups')
    return {
      body: { groups: ['Bo1', 'Bo2'].map((guid) => ({ guid, is_active: true, bsds: [] })) },
    }
  const guid = /^\/v4\/groups\/(Bo[12])\/bitlinks$/.exec(url.pathname)?.[1]
  if (guid === undefined) return undefined
  const listed = records.filter(
    (record, i) =>
      (i % 2 === 0) === (guid === 'Bo1') &&
      (url.searchParams.get('archived') === 'both' || record['archived'] !== true),
  )
  const start = numberOf(url, 'search_after', 0)
  const links = pageFrom({ ...request, records: listed }, start, numberOf(url, 'size', 50))
  const next = start + links.length
  const search_after = next < listed.length ? String(next) : ''
  // Bitly writes control characters into its strings as they are.
  const body = JSON.stringify({ links, pagination: { search_after, total: listed.length } })
  return { body: body.replaceAll('\\u0007', '\u0007').replaceAll('\\n', '\n') }
}

function answerDub(request: Request): Answer {
  const { url, records } = request
  if (url.pathname !== '/links') return undefined
  const hasArchived = url.searchParams.get('showArchived') === 'true'
  const listed = records.filter((record) => hasArchived || record['archived'] !== true)
  const start = indexAfter(listed, url.searchParams.get('startingAfter'))
  return { body: listed.slice(start, start + Math.min(numberOf(url, 'pageSize', 100), 100)) }
}

function answerKutt(request: Request): Answer {
  const { url, records } = request
  if (url.pathname !== '/api/v2/links') return undefined
  const skip = numberOf(url, 'skip', 0)
  const limit = Math.min(numberOf(url, 'limit', 10), 50)
  return { body: { total: records.length, limit, skip, data: pageFrom(request, skip, limit) } }
}

/** Records with `redirectRules` have them at their separate path only. */
function answerShlink(request: Request): Answer {
  const { url, records } = request
  const code = /^\/rest\/v3\/short-urls\/([^/]+)\/redirect-rules$/.exec(url.pathname)?.[1]
  if (code !== undefined) {
    const found = records.find(
      ({ shortCode, domain }) =>
        shortCode === decodeURIComponent(code) &&
        (domain ?? null) === url.searchParams.get('domain'),
    )
    if (!found) return undefined
    return {
      body: { defaultLongUrl: found['longUrl'], redirectRules: found['redirectRules'] ?? [] },
    }
  }
  if (url.pathname !== '/rest/v3/short-urls') return undefined
  const size = Math.min(numberOf(url, 'itemsPerPage', 10), request.pageSize)
  const page = numberOf(url, 'page', 1)
  const data = pageFrom(request, (page - 1) * size, size)
  const pagination = {
    currentPage: page,
    pagesCount: Math.ceil(records.length / size),
    itemsPerPage: size,
    totalItems: records.length,
  }
  const listed = data.map(({ redirectRules: _rules, ...listed }) => listed)
  return { body: { shortUrls: { data: listed, pagination } } }
}

/** Behind the last link there are no `links` at all. */
function answerYourls(request: Request): Answer {
  const { url, records } = request
  if (url.pathname !== '/yourls-api.php' || url.searchParams.get('action') !== 'stats')
    return undefined
  const start = numberOf(url, 'start', 0)
  const page = pageFrom(request, start, numberOf(url, 'limit', 10))
  const links = Object.fromEntries(page.map((record, i) => [`link_${i + 1}`, record]))
  return {
    body: {
      ...(page.length > 0 && { links }),
      stats: { total_links: String(records.length), total_clicks: '0' },
      statusCode: '200',
      message: 'success',
    },
  }
}

function answerRebrandly(request: Request): Answer {
  const { url, records } = request
  if (url.pathname === '/v1/links/count') return { body: { count: records.length } }
  if (url.pathname !== '/v1/links') return undefined
  const start = indexAfter(records, url.searchParams.get('last'))
  return { body: pageFrom(request, start, Math.min(numberOf(url, 'limit', 25), 25)) }
}

/** Records belong to the domain that they name, else to `short.example.com`. */
function answerShortIo(request: Request): Answer {
  const { url, records } = request
  const domains = [
    { id: 7, hostname: 'short.example.com' },
    { id: 8, hostname: 'other.example.com' },
  ]
  if (url.pathname === '/api/domains') return { body: domains }
  if (url.pathname !== '/api/links') return undefined
  const domain = domains.find(({ id }) => String(id) === url.searchParams.get('domain_id'))
  const listed = records.flatMap(({ domainName = 'short.example.com', ...record }) =>
    domainName === domain?.hostname ? [record] : [],
  )
  const start = numberOf(url, 'pageToken', 0)
  const size = Math.min(numberOf(url, 'limit', 50), 150)
  const links = pageFrom({ ...request, records: listed }, start, size)
  const next = start + links.length
  return {
    body: {
      links,
      count: links.length,
      ...(next < listed.length && { nextPageToken: String(next) }),
    },
  }
}

const services: Readonly<Record<ApiSourceId, Service>> = {
  bitly: { accepts: bearer, refusal: 403, answer: answerBitly },
  dub: { accepts: bearer, refusal: 401, answer: answerDub },
  kutt: { accepts: keyIn('x-api-key'), refusal: 401, answer: answerKutt },
  shlink: { accepts: keyIn('x-api-key'), refusal: 401, answer: answerShlink },
  yourls: {
    accepts: ({ url, token }) => url.searchParams.get('signature') === token,
    refusal: 403,
    answer: answerYourls,
  },
  rebrandly: { accepts: keyIn('apikey'), refusal: 401, answer: answerRebrandly },
  'short-io': { accepts: keyIn('authorization'), refusal: 401, answer: answerShortIo },
}

/** Records in the shape of a source: `item-0`, `item-1` and so on, every tenth archived where the source knows that. */
export function makeRecords(source: ApiSourceId, count: number): SourceRecord[] {
  return Array.from({ length: count }, (_, i) => recordMakers[source](i))
}

const madeAt = '2023-01-02T03:04:05.000Z'
const target = (i: number) => `https://example.com/item/${i}`

const recordMakers: Readonly<Record<ApiSourceId, (i: number) => SourceRecord>> = {
  bitly: (i) => ({
    id: `bit.ly/item-${i}`,
    link: `https://bit.ly/item-${i}`,
    long_url: target(i),
    title: `Item ${i}`,
    archived: i % 10 === 9,
    created_at: '2023-01-02T03:04:05+0000',
    custom_bitlinks: [],
    tags: [],
    deeplinks: [],
  }),
  dub: (i) => ({
    id: `link_${i}`,
    domain: 'dub.sh',
    key: `item-${i}`,
    shortLink: `https://dub.sh/item-${i}`,
    url: target(i),
    title: `Item ${i}`,
    archived: i % 10 === 9,
    tags: [],
    createdAt: madeAt,
    clicks: i,
  }),
  kutt: (i) => ({
    id: `6ba7b810-9dad-11d1-80b4-${String(i).padStart(12, '0')}`,
    address: `item-${i}`,
    target: target(i),
    description: `Item ${i}`,
    domain: null,
    banned: false,
    password: false,
    created_at: madeAt,
    expire_in: null,
    visit_count: i,
    link: `https://kutt.example.com/item-${i}`,
  }),
  shlink: (i) => ({
    shortCode: `item-${i}`,
    shortUrl: `https://s.example.com/item-${i}`,
    longUrl: target(i),
    dateCreated: madeAt,
    tags: [],
    meta: { validSince: null, validUntil: null, maxVisits: null },
    domain: null,
    title: `Item ${i}`,
    forwardQuery: true,
    hasRedirectRules: false,
    visitsSummary: { total: i, nonBots: i, bots: 0 },
  }),
  yourls: (i) => ({
    shorturl: `https://sho.example.com/item-${i}`,
    url: target(i),
    title: `Item ${i}`,
    timestamp: '2023-01-02 03:04:05',
    ip: '203.0.113.9',
    clicks: String(i),
  }),
  rebrandly: (i) => ({
    id: `id${i}`,
    title: `Item ${i}`,
    slashtag: `item-${i}`,
    destination: target(i),
    shortUrl: `rebrand.ly/item-${i}`,
    domainName: 'rebrand.ly',
    createdAt: madeAt,
    clicks: i,
    tags: [],
    status: 'active',
    favourite: false,
    forwardParameters: false,
  }),
  'short-io': (i) => ({
    idString: `lnk_${i}`,
    originalURL: target(i),
    path: `item-${i}`,
    title: `Item ${i}`,
    archived: i % 10 === 9,
    tags: [],
    createdAt: madeAt,
    domainName: i % 3 === 0 ? 'other.example.com' : 'short.example.com',
  }),
}
