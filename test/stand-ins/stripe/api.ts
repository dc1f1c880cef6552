import { createHash, randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import { endpoints } from './endpoints.ts'
import { errors, StandInError } from './errors.ts'
import { expand } from './expand.ts'
import { parseParams } from './params.ts'
import { apiVersion, runWork, type StandInDatabase, type Work } from './work.ts'

interface Answer {
  status: number
  body: object
  replayed?: boolean
}

/** For how many seconds Stripe remembers an idempotency key. */
const keyTtlSeconds = 86_400

/** Answers a call to Stripe's API and passes on the resulting events. Never throws for a caller's mistake. */
export async function answerCall(
  { database, secretKey }: { database: StandInDatabase; secretKey: string },
  url: string,
  init: RequestInit,
  onEvents: (events: Stripe.Event[]) => void,
): Promise<Response> {
  const headers = new Headers(init.headers)
  try {
    const { result, events } = await answer(database, secretKey, url, init, headers)
    onEvents(events)
    return respond(result)
  } catch (error) {
    if (error instanceof StandInError) return respond(error)
    throw error
  }
}

async function answer(
  database: StandInDatabase,
  secretKey: string,
  url: string,
  { method = 'GET', body }: RequestInit,
  headers: Headers,
): Promise<{ result: Answer; events: Stripe.Event[] }> {
  const given = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '')?.[1]
  if (given === undefined) throw errors.noKey()
  if (given !== secretKey) throw errors.wrongKey(given)
  const { pathname, search } = new URL(url)
  const text = `${search.slice(1)}${typeof body === 'string' ? `&${body}` : ''}`
  const params = parseParams(text)
  const { endpoint, id } = findEndpoint(method, pathname)
  for (const name of Object.keys(params)) {
    if (name !== 'expand' && !endpoint.takes.split(/\s+/).includes(name)) throw errors.unknown(name)
  }
  const run = async (work: Work): Promise<Answer> => {
    const found = await endpoint.handle(work, params, id)
    await expand(work, found, params)
    return { status: 200, body: found }
  }
  if (method === 'GET') return runWork(database, 'read', run)
  const key = headers.get('idempotency-key')
  return runWork(database, 'write', (work) =>
    key === null ? run(work) : once(work, key, `${method} ${pathname} ${text}`, run),
  )
}

function findEndpoint(method: string, pathname: string) {
  for (const endpoint of endpoints) {
    const pattern = `^/v1/${endpoint.path.replace(':id', '([\\w-]+)')}$`
    const match = endpoint.method === method ? new RegExp(pattern).exec(pathname) : null
    if (match) return { endpoint, id: match[1] ?? '' }
  }
  throw errors.noRoute(method, pathname)
}

/** Repeats the first response to a key for a day. A mistake in the call is not remembered. */
async function once(
  work: Work,
  key: string,
  request: string,
  run: (work: Work) => Promise<Answer>,
): Promise<Answer> {
  const id = `idempotency ${createHash('sha256').update(key).digest('hex')}`
  const print = createHash('sha256').update(request).digest('hex')
  const { rows } = await work.db.query<{
    body: { print: string; at: number; answer: Answer }
  }>(`select body from stripe_stand_in.objects where id = $1 and type = 'idempotency'`, [id])
  const known = rows[0]?.body
  if (known && known.at + keyTtlSeconds > work.now) {
    if (known.print !== print) throw errors.otherParameters(key)
    return { ...known.answer, replayed: true }
  }
  const made = await run(work)
  await work.db.query(
    `insert into stripe_stand_in.objects (id, type, body) values ($1, 'idempotency', $2)
      on conflict (id) do update set body = excluded.body`,
    [id, JSON.stringify({ print, at: work.now, answer: made })],
  )
  return made
}

function respond({ status, body, replayed }: Answer | (StandInError & { replayed?: boolean })) {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Request-Id': `req_${randomUUID().replaceAll('-', '').slice(0, 14)}`,
      'Stripe-Version': apiVersion,
      ...(replayed && { 'Idempotent-Replayed': 'true' }),
    },
  })
}
