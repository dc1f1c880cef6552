import * as z from 'zod'
import type { Context } from '../context.ts'
import { limitByAddress } from '../http/guards.ts'
import {
  describeDoor,
  describeOnce,
  type Json,
  openApiResponse,
  type Operations,
} from '../http/openapi.ts'
import { type DoorRoute, type GuardFacts, type HttpCall, routesWith } from '../http/router.ts'
import { isAdmin } from '../tokens/person.ts'
import { planTag } from './operations.ts'
import { appScopes, identify, type Identity } from '../tokens/tokens.ts'

interface DescribedCall extends HttpCall {
  deps: Pick<Context, 'config' | 'installation' | 'database' | 'tokens' | 'rateLimits'>
}
type Route = Pick<DoorRoute<never>, 'method' | 'path' | 'facts'>

const documentRoute = routesWith<DescribedCall>()
const policy = { name: 'functions document', burst: 60, windowSeconds: 60 }

const description =
  'What is more than a row of a table: drafts of popups, live hits, your webhooks, and so on. Errors are `{error}`, a text for people.'

/** GET /openapi.json: the description of the door. Calls of admins and operators are in it for them only. */
export function functionsDescription(
  others: readonly Route[],
  operations: Operations,
): DoorRoute<DescribedCall> {
  const described = (hasPlans: boolean) =>
    describeOnce((address, caller: GuardFacts['caller']) =>
      describeFunctions([...others, own], operations, address, { caller, hasPlans }),
    )
  const [withPlans, withoutPlans] = [described(true), described(false)]
  const own: DoorRoute<DescribedCall> = documentRoute(
    'GET',
    '/openapi.json',
    [limitByAddress(policy)],
    async ({ deps, request }) => {
      const caller = await callerOf(deps, await identify(deps.tokens, request))
      const address = `${deps.config.publicUrl}/functions/v1`
      const describe = deps.installation.hasPlans() ? withPlans : withoutPlans
      return openApiResponse(describe(address, caller), request)
    },
  )
  return own
}

/** Audiences of calls that a caller sees besides those for people. */
async function callerOf(
  { database }: DescribedCall['deps'],
  { role, claims }: Identity,
): Promise<GuardFacts['caller']> {
  if (role === 'service_role') return role
  const isPerson = role === 'authenticated' && appScopes(claims) === undefined
  return isPerson && (await isAdmin(database, claims)) ? 'admin' : undefined
}

function describeFunctions(
  routes: readonly Route[],
  operations: Operations,
  address: string,
  seen: { caller: GuardFacts['caller']; hasPlans: boolean },
): Json {
  const error = z.object({ error: z.string() })
  return describeDoor(
    { title: 'Hoplet functions', description, address, routes, operations, error },
    (caller, { tag }) =>
      (caller === undefined || caller === 'person' || caller === seen.caller) &&
      (seen.hasPlans || tag !== planTag),
  )
}
