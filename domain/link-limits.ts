// Apart from link-fields.ts, so that browsers do not load the schemas with them.

/** Of a password that visitors enter: of a link, or of a shared report. */
export const visitorPasswordMaxBytes = 1_024

/** Bounds of the options of a link; the database has the same. */
export const linkLimits = {
  title: 200,
  note: 2_000,
  tags: 20,
  tag: 40,
  maxClicks: 1_000_000_000,
  previewTitle: 200,
  previewDescription: 500,
} as const

/** Refusals of the database without a constraint (database/code/): the form shows them at their field. */
export const linkRefusals = {
  ownHost: 'A link must not lead back to this server.',
  blockedHost: 'This host is blocked here.',
  blockedFallback: 'The host of the fallback address is blocked here.',
  fallback: 'The fallback address must start with http:// or https://',
  previewImage:
    'The preview image is an https address of a PNG, JPEG or WebP file, or an uploaded one',
  tagsOfLink: 'A link has at most 20 tags',
  tagsOfAccount:
    'You have 200 tags, which is the most that an account can have. Please delete some first.',
} as const

/** Messages for people instead of a constraint's own words. Rules with a notice are in server/tables/sentences.ts. */
export const linkSentences = {
  shortened_urls_external_id_check: 'An external id has 1 to 200 characters, without line breaks',
  shortened_urls_title_check: 'A title has at most 200 characters',
  shortened_urls_note_check: 'A note has at most 2,000 characters',
  shortened_urls_dates: 'The end must come after the start',
  shortened_urls_max_clicks_check: 'The maximum of clicks is a number from 1 to 1,000,000,000',
  shortened_urls_forward_query_check:
    'forward_query is none, all, or up to 50 names of parameters with commas between them',
  shortened_urls_redirect_status_check: 'The status is 302 or 307, or 301 or 308 where allowed',
  shortened_urls_preview_title_check: 'A preview title has at most 200 characters',
  shortened_urls_preview_description_check: 'A preview text has at most 500 characters',
  tags_name_check: 'A tag has 1 to 40 characters, without commas and line breaks',
  tags_name_visible: 'A tag has 1 to 40 characters, without commas and line breaks',
  tags_color_check: 'Please enter a color like #1a2b3c',
  link_expectations_name_check: 'The name of an expectation has 1 to 100 characters',
  link_expectations_visit_check: 'A simulated visit has at most 8 kB',
  link_expectations_expected_url_check: 'An address has at most 2,048 characters',
  utm_templates_name_check: 'The name of a template has 1 to 100 characters',
  utm_templates_utm_source_check: 'A UTM field has at most 200 characters',
  utm_templates_utm_medium_check: 'A UTM field has at most 200 characters',
  utm_templates_utm_campaign_check: 'A UTM field has at most 200 characters',
  utm_templates_utm_term_check: 'A UTM field has at most 200 characters',
  utm_templates_utm_content_check: 'A UTM field has at most 200 characters',
}
