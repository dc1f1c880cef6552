import {
  bioFieldMessages as bio,
  fieldMessages,
  type Notice,
  notices,
  popupFieldMessages as popup,
} from '#domain/texts.ts'

/** What a person reads instead of a constraint's own words: the error's `message`, and its `details`. */
interface Sentence {
  message: string
  details: string | null
}

const says = (message: string): Sentence => ({ message, details: null })
const asOn = ({ title, description }: Notice): Sentence => ({
  message: title,
  details: description ?? null,
})

export const invalidUrl = asOn(notices.invalidUrl)
const color = says(popup.color)
const themeColor = says(
  "Please write theme colors as 'hue saturation% lightness%', with a hue up to 360 and the others up to 100%",
)
const count = says('A count cannot be below 0')

/**
 * Every CHECK that a row can fail at this door, by the name of its constraint. The forms say the same, so people read
 * these only when another client wrote the row. A test finds a missing constraint.
 */
export const sentences: Readonly<Record<string, Sentence>> = {
  profiles_display_name_check: says(fieldMessages.displayName),
  user_plans_plan_type_check: says('The plan must be free, pro or business'),
  user_roles_role_check: says('The role must be user or admin'),
  user_usage_daily_custom_codes_check: count,
  user_usage_daily_qr_codes_check: count,
  user_usage_daily_shortened_urls_check: count,
  user_usage_total_custom_codes_check: count,
  user_usage_total_shortened_urls_check: count,

  shortened_urls_destination: invalidUrl,
  shortened_urls_popup_chosen: asOn(notices.popupMissing),
  shortened_urls_short_code_check: asOn(notices.customCodeLength),
  shortened_urls_click_count_check: count,

  popups_title_visible: says(popup.title),
  popups_title_check: says(popup.titleLength),
  popups_description_check: says(popup.descriptionLength),
  popups_cta_text_visible: says(popup.ctaText),
  popups_cta_text_check: says(popup.ctaTextLength),
  popups_cta_url_check: invalidUrl,
  popups_email_over_https: says(popup.emailWithoutHttps),
  popups_image_url_check: says(popup.imageUrl),
  popups_background_color_check: color,
  popups_text_color_check: color,
  popups_button_color_check: color,
  popups_button_text_color_check: color,
  popups_position_check: says(
    'The position must be center, top, bottom, bottom-right or bottom-left',
  ),
  popups_size_preset_check: says(
    'The size must be small, medium, large, extra-large, full-width, compact or tall',
  ),
  popups_trigger_delay_check: says('The delay must be between 0 and 10 seconds'),
  popups_border_radius_check: says('The border radius must be between 0 and 24 pixels'),
  popups_font_style_check: says('The font style must be casual, professional, modern or elegant'),
  popups_shadow_style_check: says('The shadow style must be none, soft, medium or bold'),

  bio_pages_slug_check: says(
    'Slug must be 1 to 50 characters: only a-z, 0-9, hyphens, and underscores are allowed',
  ),
  bio_pages_title_visible: says(bio.required),
  bio_pages_title_check: says(bio.title),
  bio_pages_description_check: says(bio.description),
  bio_pages_theme_primary_check: themeColor,
  bio_pages_theme_background_check: themeColor,
  bio_pages_theme_text_check: themeColor,
  bio_pages_visit_count_check: count,
  bio_links_title_visible: says('Link title must be 1 to 200 characters'),
  bio_links_title_check: says('Link title must be 1 to 200 characters'),
  bio_links_url_check: invalidUrl,
  bio_links_click_count_check: count,
  bio_social_links_platform_check: says('Please choose a platform'),
  bio_social_links_check: {
    message: invalidUrl.message,
    details:
      'Please enter a valid URL starting with http:// or https://, or for email a plain email address',
  },

  affiliate_codes_code_check: says('An affiliate code is 8 capital letters and digits'),
  affiliate_codes_total_referrals_check: count,
}

/** The unique keys that a person can meet without having chosen a name: names have their own texts in the database. */
export const uniqueSentences: Readonly<Record<string, Sentence>> = {
  bio_pages_user_id_key: says('You have a bio page already'),
}
