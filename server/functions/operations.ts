import * as z from 'zod'
import { plans } from '#domain/plans.ts'
import type { Operations } from '../http/openapi.ts'

const popups = { tag: 'Popups' } as const
const plan = { tag: 'Your plan' } as const
const links = { tag: 'Links' } as const
const clicks = { tag: 'Clicks' } as const
const server = { tag: 'This server' } as const
const page = z.object({ url: z.string().describe('Of the page to open') })

/** Descriptions that the route table of the functions lacks. */
export const functionOperations = {
  'POST /ai-status': {
    ...popups,
    summary: 'Whether an AI is connected',
    answers: { 200: z.object({ text: z.boolean(), image: z.boolean() }) },
  },
  'POST /generate-popup-content': {
    ...popups,
    summary: 'Draft the text or the design of a popup',
    answers: { 200: z.object({ content: z.string().describe('The text of a JSON object') }) },
  },
  'POST /generate-popup-image': {
    ...popups,
    summary: 'Draft an image for a popup',
    answers: { 200: z.object({ imageUrl: z.string().describe('A path under /media/') }) },
  },
  'POST /check-subscription': {
    ...plan,
    summary: 'Your subscription',
    answers: {
      200: z.object({
        subscribed: z.boolean(),
        plan: z.enum(plans),
        subscription_end: z.string().meta({ format: 'date-time' }).nullable(),
        paid_plan: z.enum(plans).optional(),
        on_hold: z.boolean().optional(),
        cancel_at_period_end: z.boolean().optional(),
        voided_plan: z.enum(plans).optional(),
      }),
    },
  },
  'POST /create-checkout': {
    ...plan,
    summary: 'Pay for a plan, or change it',
    answers: { 200: page },
  },
  'POST /customer-portal': {
    ...plan,
    summary: 'Your subscription, card and invoices',
    answers: { 200: page },
  },
  'GET /live': {
    ...clicks,
    summary: 'Follow new hits',
    answers: { 200: { media: 'text/event-stream', says: 'Hits as they come' } },
  },
  'GET /clicks.csv': {
    ...clicks,
    summary: 'Hits as a file, newest first',
    answers: { 200: { media: 'text/csv', says: 'One line for each hit' } },
  },
  'GET /link-tag': {
    ...links,
    summary: 'The tag of a link as a file',
    description: 'Counts as the download of a QR code. On the plan Free the tag has no QR code.',
    answers: { 200: { media: 'image/png', says: 'A picture, or a PDF with `format=pdf`' } },
  },
  'GET /click-log': {
    ...clicks,
    summary: 'Hits that no report can know yet',
    answers: {
      200: z.object({ waiting: z.int().nullable(), lag_seconds: z.int().nullable() }),
    },
  },
  'POST /stripe-webhook': {
    ...server,
    summary: 'Events of the payment provider',
    description: 'The signature over the body is in the header `Stripe-Signature`.',
    answers: { 200: z.object({ received: z.literal(true) }) },
  },
  'POST /system-status': {
    ...server,
    summary: 'How the parts of the server are',
    answers: { 200: z.looseObject({ checkedAt: z.string().meta({ format: 'date-time' }) }) },
  },
  'GET /request-origin': {
    ...server,
    summary: 'Who the caller is to this server',
    answers: {
      200: z.object({ address: z.string(), forwardedFor: z.array(z.string()) }),
    },
  },
  'GET /openapi.json': {
    ...server,
    summary: 'This document',
    answers: { 200: { media: 'application/openapi+json', says: 'The document' } },
  },
} satisfies Operations
