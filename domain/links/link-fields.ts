import * as z from 'zod/mini'
import type { ApiInserts, ApiUpdates } from '#domain/database.generated.ts'
import { linkLimits, linkTexts, ofLinkTexts, visitorPasswordMaxBytes } from './link-limits.ts'

type Written = (ApiInserts & ApiUpdates)['shortened_urls']

/** The owner, and columns with a separate rule or tool. */
type Apart = 'user_id' | 'short_code' | 'domain' | 'show_popup' | 'is_disabled'

const text = (maxLength: number, words: string) =>
  z.nullable(z.string().check(z.maxLength(maxLength))).check(z.describe(words))
const moment = (words: string) =>
  z.nullable(z.iso.datetime({ offset: true })).check(z.describe(words))

/**
 * The columns that an owner writes: their rules, and the words for agents; their tools derive from this. The database has
 * the last word.
 */
export const linkFields = {
  original_url: z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(2_048),
      z.describe('Where the link leads: an absolute http or https address.'),
    ),
  popup_id: z
    .nullable(z.guid())
    .check(z.describe('A popup that visitors see before the link leads on.')),
  external_id: z
    .nullable(z.string().check(z.minLength(1), z.maxLength(200)))
    .check(z.describe('The id that another system knows the link by.')),
  ...ofLinkTexts((column) => text(linkTexts[column].maxLength, linkTexts[column].meaning)),
  tags: z
    .array(z.string().check(z.minLength(1), z.maxLength(linkLimits.tag)))
    .check(
      z.maxLength(linkLimits.tags),
      z.describe('All tags of the link, by name; unknown ones are made.'),
    ),
  former_url: text(300, 'The short address of the link at the service that it comes from.'),
  archived_at: moment('Hides the link in the list of the app; it still redirects.'),
  starts_at: moment('Before this moment the link answers 404, or leads to fallback_url.'),
  ends_at: moment('From this moment on the link answers 410, or leads to fallback_url.'),
  max_clicks: z
    .nullable(z.int().check(z.minimum(1), z.maximum(linkLimits.maxClicks)))
    .check(z.describe('After this many clicks the link has ended.')),
  fallback_url: text(2_048, 'Where visitors go before the start and after the end.'),
  password: text(
    visitorPasswordMaxBytes,
    'Visitors must enter it, at most 1,024 bytes; null or empty removes it. It is never shown.',
  ),
  forward_query: z
    .string()
    .check(
      z.maxLength(5_100),
      z.describe('Query parameters of a visit that go on: none, all, or names with commas.'),
    ),
  forward_overrides: z
    .boolean()
    .check(z.describe('A forwarded parameter replaces the one of the destination.')),
  redirect_status: z
    .union([z.literal(302), z.literal(307), z.literal(301), z.literal(308)])
    .check(z.describe('302 or 307; 301 and 308 only where the operator allows them.')),
  preview_image_url: text(2_048, 'Picture of the preview in chats: https, PNG, JPEG or WebP.'),
  show_preview_page: z
    .boolean()
    .check(z.describe('Whether the short address with a + shows where the link leads.')),
} satisfies Record<Exclude<keyof Written, Apart>, z.ZodMiniType>
