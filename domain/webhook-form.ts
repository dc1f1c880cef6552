import * as z from 'zod/mini'
import { webhookEventNames, webhookLimits } from './webhooks.ts'

/** A webhook; the server has more to say about its address. */
export const webhookForm = z.object({
  url: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Enter the address of the receiver'),
      z.maxLength(webhookLimits.url, 'The address is too long'),
    ),
  description: z
    .string()
    .check(
      z.trim(),
      z.maxLength(
        webhookLimits.description,
        `At most ${webhookLimits.description} characters, please`,
      ),
    ),
  events: z.array(z.enum(webhookEventNames)).check(z.minLength(1, 'Choose at least one event')),
})
