import * as z from 'zod/mini'
import { providerKeys, webhookEventNames, webhookLimits, webhookProviderNames } from './webhooks.ts'

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

/** An email provider; `url` is the address of a listmonk server. */
export const providerForm = z.object({
  kind: z.enum(webhookProviderNames),
  url: z.string().check(z.trim(), z.maxLength(webhookLimits.url, 'The address is too long')),
  key: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Enter the API key'),
      z.regex(providerKeys.pattern, providerKeys.sentence),
    ),
  list: z.string().check(z.trim(), z.minLength(1, 'Enter the ID of the list')),
})
