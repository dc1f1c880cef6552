import type * as z from 'zod'
import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import type { Database } from '../postgres/database.ts'
import type { BucketPolicy, RateLimits } from '../primitives/token-bucket.ts'
import { isAdmin, type Person, requirePerson } from '../tokens/person.ts'
import { identify, type Tokens } from '../tokens/tokens.ts'
import { BodyError, hasFormBody, readJsonAs, readText } from './body.ts'
import { limitKey } from './client-address.ts'
import { httpErrors } from './errors.ts'
import type { GuardFacts, HttpCall } from './router.ts'

// Guards for the areas that answer `{error}`: functions, media and reports.

interface LimitedCall extends HttpCall {
  deps: { rateLimits: RateLimits }
}
interface GuardedCall extends LimitedCall {
  deps: LimitedCall['deps'] & { tokens: Tokens; database: Database }
}
interface PersonCall extends GuardedCall {
  person: Person
}

/** @throws {HttpError} 429 */
export function limitByAddress(policy: BucketPolicy) {
  return ({ deps, info }: LimitedCall): void => take(deps, policy, limitKey(info.address))
}

/** @throws {HttpError} 429 */
export function limitByPerson(policy: BucketPolicy) {
  return ({ deps, person }: PersonCall): void => take(deps, policy, person.personId)
}

function take({ rateLimits }: { rateLimits: RateLimits }, policy: BucketPolicy, key: string): void {
  const wait = rateLimits.take(policy, key)
  if (wait !== undefined) throw httpErrors.tooManyRequests(wait)
}

/** Adds the person of the bearer token; in a space one of its owners. @throws 401 or 403 */
export async function signedInPerson(call: GuardedCall): Promise<{ person: Person }> {
  return { person: await requirePerson(call.deps, call) }
}
signedInPerson.facts = { caller: 'person' } satisfies GuardFacts

/** Adds the person of the bearer token, who may be a member of a space with this right; not for apps. @throws 401 or 403 */
export function signedInMember(right: OAuthScope) {
  const guard = async (call: GuardedCall): Promise<{ person: Person }> => ({
    person: await requirePerson(call.deps, call, undefined, right),
  })
  return Object.assign(guard, { facts: { caller: 'person' } satisfies GuardFacts })
}

/** The same, and also for an app that was allowed this scope. @throws 401 or 403 */
export function signedInPersonOrApp(scope: OAuthScope) {
  const guard = async (call: GuardedCall): Promise<{ person: Person }> => ({
    person: await requirePerson(call.deps, call, scope),
  })
  return Object.assign(guard, { facts: { caller: 'person', scope } satisfies GuardFacts })
}

/** For the operator's own commands, which have the key from the data directory. @throws 401 or 403 */
export async function serviceRoleOnly({ deps, request }: GuardedCall): Promise<void> {
  const { role } = await identify(deps.tokens, request)
  if (role === 'anon') throw httpErrors.noToken()
  if (role !== 'service_role') throw httpErrors.forbidden()
}
serviceRoleOnly.facts = { caller: 'service_role' } satisfies GuardFacts

/** Reads the person's role from the database on each request. @throws {HttpError} 403 */
export async function adminOnly({ deps, person }: PersonCall): Promise<void> {
  if (!(await isAdmin(deps.database, person.claims))) throw httpErrors.forbidden()
}
adminOnly.facts = { caller: 'admin' } satisfies GuardFacts

/**
 * True when the request comes from a page of ours. Browsers send `Sec-Fetch-Site`, older ones `Origin`. A client without
 * either is not a browser with our form.
 */
export function isSameOrigin(
  { headers }: { headers: Pick<Headers, 'get'> },
  publicUrl: string,
): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return false
  return origin === new URL(publicUrl).origin || new URL(origin).host === headers.get('host')
}

/** Adds the fields of a form that a page of ours sent. @throws 400, 403, 413 or 415 */
export function ownForm(maxBytes: number) {
  return async ({ request, info }: HttpCall) => {
    if (!isSameOrigin(request, info.place.site.publicUrl)) throw httpErrors.foreignOrigin()
    if (!hasFormBody(request)) throw httpErrors.notAForm()
    return { form: new URLSearchParams(await readText(request, maxBytes)) }
  }
}

/** Adds the checked JSON body. @throws 400, 413 or 415 */
export function jsonBody<Shape extends z.ZodType>(shape: Shape, maxBytes?: number) {
  const guard = async ({ request }: HttpCall): Promise<{ body: z.output<Shape> }> => ({
    body: await readJsonAs(request, shape, maxBytes),
  })
  return Object.assign(guard, { facts: { body: shape } satisfies GuardFacts })
}

/** Adds the checked parameters of the query; of several with one name, the last. @throws 400 */
export function queryParameters<Shape extends z.ZodType>(shape: Shape) {
  const guard = ({ url }: HttpCall): { query: z.output<Shape> } => {
    const parsed = shape.safeParse(Object.fromEntries(url.searchParams))
    if (parsed.success) return { query: parsed.data }
    throw new BodyError(400, parsed.error.issues[0]?.message ?? 'Invalid query')
  }
  return Object.assign(guard, { facts: { query: shape } satisfies GuardFacts })
}
