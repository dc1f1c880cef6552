import { domainHostSentences } from '#domain/domains/domain-host.ts'
import { linkRefusals, linkSentences } from '#domain/links/link-limits.ts'
import { popupSentences } from '#domain/popups/popup-limits.ts'
import { bioFieldMessages as bio } from '#domain/texts/bio-texts.ts'
import { sharedReportTexts } from '#domain/texts/link-texts.ts'
import { fieldMessages, type Notice, notices } from '#domain/texts/texts.ts'

/** Messages for people instead of a constraint's own words: the error's `message`, and its `details`. */
interface Sentence {
  message: string
  details: string | null
}

const says = (message: string): Sentence => ({ message, details: null })
export const asOn = ({ title, description }: Notice): Sentence => ({
  message: title,
  details: description ?? null,
})

const invalidUrl = asOn(notices.invalidUrl)
const themeColor = says(
  "Please write theme colors as 'hue saturation% lightness%', with a hue up to 360 and the others up to 100%",
)
const count = says('A count cannot be below 0')

/**
 * Every CHECK that a row can fail at this door, by the name of its constraint. The forms say the same, so people read
 * these only when another client wrote the row. A test finds a missing constraint.
 */
export const sentences: Readonly<Record<string, Sentence>> = {
  profiles_label_settings: says('The settings of labels are an object of at most 200 bytes'),
  profiles_display_name_check: says(fieldMessages.displayName),
  profiles_time_zone_check: says('The time zone is too long'),
  user_plans_plan_type_check: says('The plan must be free, pro or business'),
  user_roles_claim_provider_check: says('The name of the provider is too long'),
  user_roles_role_check: says('The role must be user or admin'),
  user_usage_daily_custom_codes_check: count,
  user_usage_daily_qr_codes_check: count,
  user_usage_daily_shortened_urls_check: count,
  user_usage_import_allowance_check: count,
  user_usage_total_custom_codes_check: count,
  user_usage_total_shortened_urls_check: count,
  user_usage_gone_custom_codes_check: count,
  user_usage_gone_shortened_urls_check: count,
  spaces_slug_check: says('The address of a space needs 2 to 48 letters, digits and hyphens'),
  link_moves_links_check: says('A move has 1 to 10,000 links'),
  link_moves_state_check: says('A move is arriving or done'),
  link_moves_held_links_check: count,
  link_moves_held_codes_check: count,
  members_claim_provider_check: says('The name of the provider is too long'),
  members_role_check: says('The role must be owner, editor or viewer'),
  invitations_role_check: says('The role must be owner, editor or viewer'),
  invitations_email_check: says('This is not an email address'),
  invitations_token_hash_check: says('The secret of an invitation is stored as its hash'),

  shortened_urls_destination: invalidUrl,
  shortened_urls_popup_chosen: asOn(notices.popupMissing),
  shortened_urls_short_code_check: asOn(notices.customCodeLength),
  shortened_urls_domain: says('A domain has 1 to 253 characters'),
  shortened_urls_click_count_check: count,

  ...Object.fromEntries(
    Object.entries({ ...linkSentences, ...popupSentences }).map(([name, sentence]) => [
      name,
      says(sentence),
    ]),
  ),
  popups_cta_url_check: invalidUrl,
  domains_host_check: says(domainHostSentences.syntax),
  domains_registered_domain_check: says(domainHostSentences.length),
  domains_root_url_check: says('The root of a domain leads to an address, or to bio'),
  domains_missing_url_check: says('Missing codes of a domain lead to an address, or to bio'),
  domains_token_check: says('The server chooses the token of a domain'),
  domains_found_check: says('The server writes the records that it found'),
  domains_problem_check: says('The server writes the problem of a domain'),
  leads_row: says('Only visitors can create leads'),
  audiences_retention_days_check: says('Leads are kept for 1 to 3,650 days, or for good'),
  blocks_reason_check: says('The reason of a block has at most 500 characters'),
  blocks_value_check: says('A blocked name or host has at most 253 characters'),
  leads_tags: says('A lead has at most 20 tags, which are texts with 1,000 bytes together'),
  day_notes_day_check: says('The day of a note must be between 2000 and 2099'),
  day_notes_text: says('A note has 1 to 200 characters'),

  bio_pages_domain: says('A domain has 1 to 253 characters'),
  bio_pages_slug_check: says(
    'Slug must be 1 to 50 characters: only a-z, 0-9, hyphens, and underscores are allowed',
  ),
  bio_pages_title_visible: says(bio.required),
  bio_pages_title_check: says(bio.title),
  bio_pages_description_check: says(bio.description),
  bio_pages_theme_primary_check: themeColor,
  bio_pages_theme_background_check: themeColor,
  bio_pages_theme_text_check: themeColor,
  bio_pages_look_check: says(bio.look),
  bio_pages_avatar_url_check: says(bio.avatar),
  bio_pages_visit_count_check: count,
  bio_links_title_visible: says('Link title must be 1 to 200 characters'),
  bio_links_title_check: says('Link title must be 1 to 200 characters'),
  bio_links_url_check: invalidUrl,
  bio_links_kind_check: says('Please choose link, header or divider'),
  bio_links_image_url_check: says(bio.avatar),
  bio_links_dates: says(bio.linkDates),
  bio_links_starts_at_check: says('The start must be between the years 1 and 9999'),
  bio_links_ends_at_check: says('The end must be between the years 1 and 9999'),
  bio_links_click_count_check: count,
  bio_social_links_platform_check: says('Please choose a platform'),
  bio_social_links_check: {
    message: invalidUrl.message,
    details:
      'Please enter a valid URL starting with http:// or https://, or for email a plain email address',
  },

  shared_reports_subject_check: says('A shared report is about one link or one tag'),
  shared_reports_title_check: says(sharedReportTexts.titleInvalid),
  shared_reports_shown_name_check: says(sharedReportTexts.nameInvalid),
  shared_reports_expires_at_check: says('The expiry must be between the years 1 and 9999'),
  affiliate_codes_code_check: says('An affiliate code is 8 capital letters and digits'),
  affiliate_codes_total_referrals_check: count,
}

const popupGone = says(linkRefusals.popupGone)
const roleThere = says('This account already has a role')
const accountGone = says('There is no such account')
const pageGone = says('There is no such bio page')

/** Keys that a person can meet without having chosen a name: names have their own texts in the database. */
export const keySentences: Readonly<Record<string, Sentence>> = {
  shortened_urls_popup_of_owner: popupGone,
  bio_pages_popup_of_owner: popupGone,
  bio_pages_user_id_key: says('You have a bio page already'),
  shortened_urls_external_id_key: says('You already have a link with this external ID'),
  tags_name_key: says('You already have a tag with this name'),
  utm_templates_name_key: says('You already have a template with this name'),
  qr_looks_name_key: says('You already have a look with this name'),
  day_notes_day_key: says('You already have a note on this day'),
  link_expectations_name_key: says('This link already has an expectation with this name'),
  placements_name_key: says('This link already has a placement with this name'),
  placements_mark_key: says('This link already has a placement with this mark'),
  shared_reports_link_id_key: says('This link already has a shared report'),
  shared_reports_tag_id_key: says('This tag already has a shared report'),
  domains_of_account: says('You have this domain already'),
  domains_served: says('Another account serves this domain'),
  domains_default: says('Another domain became the default. Please try again'),
  affiliate_codes_code_key: says('This affiliate code is taken'),
  affiliate_codes_pkey: says('You already have an affiliate code'),
  user_roles_pkey: roleThere,
  user_roles_user_id_role_key: roleThere,
  // For the service: the rows of people are their own.
  ...Object.fromEntries(
    [
      'affiliate_codes',
      'bio_pages',
      'day_notes',
      'domains',
      'popups',
      'qr_looks',
      'shortened_urls',
      'tags',
      'user_plans',
      'user_roles',
      'user_usage',
      'utm_templates',
    ].map((table) => [`${table}_user_id_fkey`, accountGone]),
  ),
  names_owner_id_fkey: accountGone,
  profiles_id_fkey: accountGone,
  bio_links_bio_page_id_fkey: pageGone,
  bio_social_links_bio_page_id_fkey: pageGone,
  link_expectations_link_id_fkey: says('There is no such link'),
  placements_link_id_fkey: says('There is no such link'),
  placements_user_id_fkey: accountGone,
}
