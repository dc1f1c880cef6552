// Apart from link-fields.ts, so that browsers do not load the schemas with them.
import type { ApiInserts, ApiUpdates } from '#domain/database.generated.ts'

/** Maximum of a password that visitors enter, for a link or a shared report. */
export const visitorPasswordMaxBytes = 1_024

interface LinkText {
  /** In characters; the CHECK of the database has the same. */
  maxLength: number
  /** Begins the sentence for a text that is longer. */
  name: string
  /** For agents. */
  meaning: string
}

/** The texts among the options of a link: their schemas, checks, sentences and fields derive from this. */
export const linkTexts = {
  title: {
    maxLength: 200,
    name: 'A title',
    meaning: 'The name of the link in lists; empty for the host.',
  },
  note: { maxLength: 2_000, name: 'A note', meaning: 'A note that only the owner sees.' },
  preview_title: {
    maxLength: 200,
    name: 'A preview title',
    meaning: 'Title of the preview in chats.',
  },
  preview_description: {
    maxLength: 500,
    name: 'A preview text',
    meaning: 'Text of the preview in chats.',
  },
} satisfies Partial<Record<keyof (ApiInserts | ApiUpdates)['shortened_urls'], LinkText>>

/** A column of `linkTexts`. */
export type LinkTextColumn = keyof typeof linkTexts
export const linkTextColumns = Object.keys(linkTexts) as LinkTextColumn[]

/** Something of each text of a link, by its column. */
export function ofLinkTexts<Value>(
  valueOf: (column: LinkTextColumn) => Value,
): Record<LinkTextColumn, Value> {
  const entries = linkTextColumns.map((column) => [column, valueOf(column)])
  return Object.fromEntries(entries) as Record<LinkTextColumn, Value>
}

/** Whether a text is within its limit. An emoji is one character, as the database counts. */
export function fitsLinkText(column: LinkTextColumn, text: string): boolean {
  return Array.from(text).length <= linkTexts[column].maxLength
}

/** The sentence for a text that is too long. */
export function linkTextSentence(column: LinkTextColumn): string {
  const { name, maxLength } = linkTexts[column]
  return `${name} has at most ${maxLength.toLocaleString('en')} characters`
}

/** Bounds of the other options; the database has the same. */
export const linkLimits = { tags: 20, tag: 40, maxClicks: 1_000_000_000 } as const

/** Refusals of the database without a constraint (database/code/): the form shows them at their field. */
export const linkRefusals = {
  ownHost: 'A link must not lead back to this server.',
  blockedHost: 'This host is blocked here.',
  blockedFallback: 'The host of the fallback address is blocked here.',
  fallback: 'The fallback address must start with http:// or https://',
  previewImage:
    'The preview image is an https address of a PNG, JPEG or WebP file, or an uploaded one',
  popupGone: 'This popup does not exist any more. Please choose another one.',
  tagsOfLink: `A link has at most ${linkLimits.tags} tags`,
  tagsOfAccount:
    'You have 200 tags, which is the most that an account can have. Please delete some first.',
} as const

/** Messages for people instead of a constraint's own words. Rules with a notice are in server/tables/sentences.ts. */
export const linkSentences = {
  ...Object.fromEntries(
    linkTextColumns.map((column) => [`shortened_urls_${column}_check`, linkTextSentence(column)]),
  ),
  shortened_urls_external_id_check: 'An external id has 1 to 200 characters, without line breaks',
  shortened_urls_former_url_check: 'A former address has 1 to 300 characters, without line breaks',
  shortened_urls_clicks_before_check:
    'The clicks before are a number from 0 to 1,000,000,000,000,000',
  shortened_urls_dates: 'The end must come after the start',
  shortened_urls_starts_at_check: 'The start must be between the years 1 and 9999',
  shortened_urls_ends_at_check: 'The end must be between the years 1 and 9999',
  shortened_urls_archived_at_check: 'The archiving must be between the years 1 and 9999',
  shortened_urls_max_clicks_check: `The maximum of clicks is a number from 1 to ${linkLimits.maxClicks.toLocaleString('en')}`,
  shortened_urls_forward_query_check:
    'forward_query is none, all, or up to 50 names of parameters with commas between them',
  shortened_urls_redirect_status_check: 'The status is 302 or 307, or 301 or 308 where allowed',
  tags_name_check: `A tag has 1 to ${linkLimits.tag} characters, without commas and line breaks`,
  tags_name_visible: `A tag has 1 to ${linkLimits.tag} characters, without commas and line breaks`,
  tags_color_check: 'Please enter a color like #1a2b3c',
  link_expectations_name_check: 'The name of an expectation has 1 to 100 characters',
  link_expectations_visit_check: 'A simulated visit has at most 8 kB',
  link_expectations_expected_url_check: 'An address has at most 2,048 characters',
  placements_name: 'The name of a placement has 1 to 80 characters, without line breaks',
  placements_mark: 'A mark has 2 to 8 small letters and digits',
  placements_utm:
    'A UTM field of a placement has at most 100 characters, and all of them 500 bytes',
  qr_looks_name: 'The name of a look has 1 to 60 characters, without line breaks',
  qr_looks_look: 'A look has at most 40 kB',
  utm_templates_name_check: 'The name of a template has 1 to 100 characters',
  utm_templates_utm_source_check: 'A UTM field has at most 200 characters',
  utm_templates_utm_medium_check: 'A UTM field has at most 200 characters',
  utm_templates_utm_campaign_check: 'A UTM field has at most 200 characters',
  utm_templates_utm_term_check: 'A UTM field has at most 200 characters',
  utm_templates_utm_content_check: 'A UTM field has at most 200 characters',
}
