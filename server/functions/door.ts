import type { Context } from '../context.ts'
import type { Door } from '../http/door.ts'
import { limitKey } from '../http/client-address.ts'
import type { Policy } from '../http/rate-limit.ts'
import { requirePerson } from '../tokens/person.ts'
import type { AnybodysHandler, FunctionHandler } from './call.ts'
import { checkSubscription } from './check-subscription.ts'
import { createCheckout } from './create-checkout.ts'
import { customerPortal } from './customer-portal.ts'
import { errorResponse, httpErrors, toHttpError } from '../http/errors.ts'
import { generatePopupContent } from './generate-popup-content.ts'
import { generatePopupImage } from './generate-popup-image.ts'
import { stripeWebhook } from './stripe-webhook.ts'
import { systemStatus } from './system-status.ts'

type Route =
  | { limit: Policy; handler: FunctionHandler }
  /** Says itself who calls: the limit is per address. */
  | { limit: Policy; anybody: AnybodysHandler }

const look: Policy = { name: 'status', burst: 30, window: 60 }
const generation: Policy = { name: 'ai', burst: 15, window: 60 }

const subscription: Policy = { name: 'subscription', burst: 60, window: 60 }
const payment: Policy = { name: 'payment', burst: 20, window: 60 }
const event: Policy = { name: 'event', burst: 3_000, window: 60 }

/** Every function takes a POST, all but the webhook's from a signed-in person. */
const routes: Record<string, Route> = {
  'check-subscription': { limit: subscription, handler: checkSubscription },
  'create-checkout': { limit: payment, handler: createCheckout },
  'customer-portal': { limit: payment, handler: customerPortal },
  'stripe-webhook': { limit: event, anybody: stripeWebhook },
  'generate-popup-content': { limit: generation, handler: generatePopupContent },
  'generate-popup-image': { limit: generation, handler: generatePopupImage },
  'system-status': { limit: look, handler: systemStatus },
}

/** Before anybody is known, so that guessing tokens costs something. */
const anybody: Policy = { name: 'functions', burst: 120, window: 60 }

/** Opens door 3: `POST /functions/v1/{name}` with a bearer token (specification §7). Errors are `{error}`. */
export function createFunctionsDoor(context: Context): Door {
  return async (request, caller) => {
    try {
      const route = routeAt(new URL(request.url).pathname)
      if (request.method !== 'POST') throw httpErrors.methodNotAllowed('POST')
      const address = limitKey(caller.address)
      if ('anybody' in route) {
        take(context, route.limit, address)
        return await route.anybody({ request, caller, context })
      }
      take(context, anybody, address)
      const person = await requirePerson(context, request)
      const takeTurn = () => take(context, route.limit, person.id)
      return await route.handler({ request, caller, context, person, takeTurn })
    } catch (error) {
      const known = toHttpError(error, request)
      if (!known) throw error
      caller.log.info({ status: known.status }, 'function call refused')
      return errorResponse(known)
    }
  }
}

function routeAt(pathname: string): Route {
  const name = pathname.slice('/functions/v1/'.length)
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined
  if (!route) throw httpErrors.notFound()
  return route
}

function take(context: Pick<Context, 'rateLimits'>, limit: Policy, key: string): void {
  const wait = context.rateLimits.take(limit, key)
  if (wait !== undefined) throw httpErrors.tooManyRequests(wait)
}
