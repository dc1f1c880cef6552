import * as z from 'zod/mini'
import type { ApiInserts, ApiUpdates } from './database.generated.ts'

type Written = (ApiInserts & ApiUpdates)['shortened_urls']

/** The owner, and columns with a separate rule or tool. */
type Apart = 'user_id' | 'short_code' | 'show_popup' | 'is_disabled'

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
} satisfies Record<Exclude<keyof Written, Apart>, z.ZodMiniType>

/** Messages for people instead of a constraint's own words. Rules with a notice are in server/tables/sentences.ts. */
export const linkSentences = {
  shortened_urls_external_id_check: 'An external id has 1 to 200 characters, without line breaks',
}
