import * as z from 'zod'
import { plans } from '#domain/plans.ts'
import { type Operations, operationsOf } from '../http/openapi.ts'

const popups = operationsOf('Popups')
/** The tag of calls that are described only where there are plans. */
export const planTag = 'Your plan'
const plan = operationsOf(planTag)
const links = operationsOf('Links')
const clicks = operationsOf('Clicks')
const server = operationsOf('This server')
const page = z.object({ url: z.string().describe('Of the page to open') })

const qrCode = links(
  'The QR code of a link, placement or bio page as a file',
  { 200: { media: 'image/png', says: 'A picture, or an SVG or PDF as `format` says' } },
  {
    description:
      'Counts as the download of a QR code once per code, look and day. An app needs `bio:read` for `page=1`.',
  },
)
const qrSheet = links(
  'Labels with QR codes as a PDF',
  {
    200: {
      media: 'application/pdf',
      says: 'A page for each sheet, or for each label of a printer',
    },
  },
  {
    description:
      'Each code counts as the download of a QR code once per look and day. A format that cannot hold a code at 300 dpi, and a caption with letters that the font lacks, answer 422.',
  },
)

/** Descriptions that the route table of the functions lacks. */
export const functionOperations = {
  'POST /ai-status': popups(
    'Whether an AI is connected',
    z.object({ text: z.boolean(), image: z.boolean() }),
  ),
  'POST /generate-popup-content': popups(
    'Draft the text or the design of a popup',
    z.object({ content: z.string().describe('The text of a JSON object') }),
  ),
  'POST /generate-popup-image': popups(
    'Draft an image for a popup',
    z.object({ imageUrl: z.string().describe('A path under /media/') }),
  ),
  'POST /check-subscription': plan(
    'Your subscription',
    z.object({
      subscribed: z.boolean(),
      plan: z.enum(plans),
      subscription_end: z.string().meta({ format: 'date-time' }).nullable(),
      paid_plan: z.enum(plans).optional(),
      on_hold: z.boolean().optional(),
      cancel_at_period_end: z.boolean().optional(),
      voided_plan: z.enum(plans).optional(),
    }),
  ),
  'POST /create-checkout': plan('Pay for a plan, or change it', page),
  'POST /customer-portal': plan('Your subscription, card and invoices', page),
  'GET /live': clicks('Follow new hits', {
    200: { media: 'text/event-stream', says: 'Hits as they come' },
  }),
  'GET /clicks.csv': clicks('Hits as a file, newest first', {
    200: { media: 'text/csv', says: 'One line for each hit' },
  }),
  'GET /link-tag': links(
    'The tag of a link as a file',
    { 200: { media: 'image/png', says: 'A picture, or a PDF with `format=pdf`' } },
    {
      description:
        'Counts as the download of a QR code. Accounts without QR codes get a tag without one.',
    },
  ),
  'GET /qr-code': qrCode,
  'POST /qr-code': qrCode,
  'GET /qr-sheet': qrSheet,
  'POST /qr-sheet': qrSheet,
  'GET /click-log': clicks(
    'Hits that no report can know yet',
    z.object({ waiting: z.int().nullable(), lag_seconds: z.int().nullable() }),
  ),
  'POST /stripe-webhook': plan(
    'Events of the payment provider',
    z.object({ received: z.literal(true) }),
    { description: 'The signature over the body is in the header `Stripe-Signature`.' },
  ),
  'POST /system-status': server(
    'How the parts of the server are',
    z.looseObject({ checkedAt: z.string().meta({ format: 'date-time' }) }),
  ),
  'GET /request-origin': server(
    'Who the caller is to this server',
    z.object({ address: z.string(), forwardedFor: z.array(z.string()) }),
  ),
  'GET /openapi.json': server('This document', {
    200: { media: 'application/openapi+json', says: 'The document' },
  }),
} satisfies Operations
