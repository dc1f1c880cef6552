import { popupFieldMessages } from '#domain/texts/popup-texts.ts'

/** The limits of the popup form: lengths in characters, the delay in seconds, the radius in pixels. The CHECKs of the database have the same. */
export const popupLimits = {
  name: 100,
  title: 200,
  description: 500,
  cta_text: 50,
  consent_text: 500,
  trigger_delay: 10,
  border_radius: 24,
  prompt: 1000,
  imageBytes: 5 * 1024 * 1024,
} as const

/** Messages of the popup form and the API for a value that a CHECK of the table refuses, by its name. */
export const popupSentences = {
  popups_name_check: `Name must be at most ${popupLimits.name} characters`,
  popups_name_visible: 'Please enter a visible name',
  popups_title_visible: 'Title is required',
  popups_title_check: `Title must be at most ${popupLimits.title} characters`,
  popups_description_check: `Description must be at most ${popupLimits.description} characters`,
  popups_cta_text_visible: 'Button text is required',
  popups_cta_text_check: `Button text must be at most ${popupLimits.cta_text} characters`,
  popups_consent_text_visible: 'Consent text is required',
  popups_consent_text_check: `Consent text must be at most ${popupLimits.consent_text} characters`,
  popups_email_over_https: 'To collect email addresses, the button URL must start with https://',
  popups_image_url_check: 'Please use a PNG, JPEG or WebP image whose address starts with https://',
  popups_background_color_check: popupFieldMessages.color,
  popups_text_color_check: popupFieldMessages.color,
  popups_button_color_check: popupFieldMessages.color,
  popups_button_text_color_check: popupFieldMessages.color,
  popups_position_check: 'The position must be center, top, bottom, bottom-right or bottom-left',
  popups_size_preset_check:
    'The size must be small, medium, large, extra-large, full-width, compact or tall',
  popups_trigger_delay_check: `The delay must be between 0 and ${popupLimits.trigger_delay} seconds`,
  popups_border_radius_check: `The border radius must be between 0 and ${popupLimits.border_radius} pixels`,
  popups_font_style_check: 'The font style must be casual, professional, modern or elegant',
  popups_shadow_style_check: 'The shadow style must be none, soft, medium or bold',
} as const
