import type { Hono } from 'hono'
import { createErrorRouter } from '../http/errors.ts'
import { adminOnly, limitByAddress, limitByPerson, signedInPerson } from '../http/guards.ts'
import { type HttpEnvironment, routesWith } from '../http/router.ts'
import type { BucketPolicy } from '../primitives/token-bucket.ts'
import { readStatus } from '../admin/system-status.ts'
import { type FunctionCall, type FunctionsDeps, noStore } from './call.ts'
import {
  checkSubscription,
  checkoutBody,
  customerPortal,
  openCheckout,
  stripeWebhook,
} from './payments.ts'
import {
  aiStatus,
  contentBody,
  generatePopupContent,
  generatePopupImage,
  imageBody,
} from './popup-generation.ts'

const anybody: BucketPolicy = { name: 'functions', burst: 120, windowSeconds: 60 }
const status: BucketPolicy = { name: 'status', burst: 30, windowSeconds: 60 }
const aiStatusLimit: BucketPolicy = { name: 'ai-status', burst: 30, windowSeconds: 60 }
const generation: BucketPolicy = { name: 'ai', burst: 15, windowSeconds: 60 }
const subscription: BucketPolicy = { name: 'subscription', burst: 60, windowSeconds: 60 }
const payment: BucketPolicy = { name: 'payment', burst: 20, windowSeconds: 60 }
const event: BucketPolicy = { name: 'event', burst: 3_000, windowSeconds: 60 }

const functionRoute = routesWith<FunctionCall>()
/** The address is limited first, so that guessing tokens costs something; the person last, so that slips cost nothing. */
const person = [limitByAddress(anybody), signedInPerson] as const

/** `POST /functions/v1/{name}`. */
const routes = [
  functionRoute('POST', '/ai-status', [...person, limitByPerson(aiStatusLimit)], aiStatus),
  functionRoute(
    'POST',
    '/check-subscription',
    [...person, limitByPerson(subscription)],
    checkSubscription,
  ),
  functionRoute(
    'POST',
    '/create-checkout',
    [...person, checkoutBody, limitByPerson(payment)],
    openCheckout,
  ),
  functionRoute('POST', '/customer-portal', [...person, limitByPerson(payment)], customerPortal),
  functionRoute('POST', '/stripe-webhook', [limitByAddress(event)], stripeWebhook),
  functionRoute(
    'POST',
    '/generate-popup-content',
    [...person, contentBody, limitByPerson(generation)],
    generatePopupContent,
  ),
  functionRoute(
    'POST',
    '/generate-popup-image',
    [...person, imageBody, limitByPerson(generation)],
    generatePopupImage,
  ),
  functionRoute(
    'POST',
    '/system-status',
    [...person, adminOnly, limitByPerson(status)],
    async ({ deps }) => Response.json(await readStatus(deps), noStore),
  ),
]

/** The functions, with errors as `{error}`. */
export function createFunctionsDoor(deps: FunctionsDeps): Hono<HttpEnvironment> {
  return createErrorRouter(routes, deps)
}
