import type { Notice } from './texts.ts'

/** Messages of the popup screens about success and failure. */
export const popupNotices = {
  loadFailed: { title: 'Failed to load popup' },
  fetchFailed: { title: 'Failed to fetch popups' },
  saveFailed: { title: 'Failed to save popup' },
  created: { title: 'Popup created!' },
  updated: { title: 'Popup updated!' },
  changeFailed: { title: 'Failed to update popup' },
  drafted: { title: 'Draft ready', description: 'Everything can be changed below' },
  duplicated: { title: 'Popup duplicated' },
  duplicateFailed: { title: 'Failed to duplicate popup' },
  usesSaved: { title: 'Popup in use' },
  usesFailed: {
    title: 'Failed to save where the popup is used',
    description: 'Some links may have changed. Please try again.',
  },
  linksFailed: { title: 'Failed to load your links' },
  deleted: { title: 'Popup deleted successfully' },
  deleteFailed: { title: 'Failed to delete popup' },
  answerUnreadable: { title: 'Failed to parse AI response' },
  contentGenerated: { title: 'Content generated!' },
  contentFailed: { title: 'Failed to generate content' },
  offerMissing: { title: 'Please describe your offer' },
  contentPromptMissing: { title: 'Please enter a description' },
  designGenerated: { title: 'Design generated!' },
  designFailed: { title: 'Failed to generate design' },
  designPromptMissing: { title: 'Please describe your design vision' },
  imageGenerated: { title: 'Image generated!' },
  imageFailed: { title: 'Failed to generate image' },
  imagePromptMissing: { title: 'Please describe the image you want' },
  imageUploaded: { title: 'Image uploaded!' },
  uploadFailed: { title: 'Failed to upload image' },
} as const satisfies Record<string, Notice>

/** Notes of the generator cards below their button. */
export const generatorNotes = {
  noAi: 'Drafted without AI',
  noImageAi: 'Images drafted without AI',
  collectsEmail: 'Turned on email collection to match the text',
  noLook: 'Look unchanged: try “dark blue, white button”',
  mended: {
    textColor: 'Text color changed for contrast',
    buttonTextColor: 'Button text color changed for contrast',
  },
} as const

/** Messages of the popup form without a constraint of the table. */
export const popupFieldMessages = {
  buttonUrl: 'Please enter a valid URL starting with http:// or https://',
  emailWithoutUrl: 'Keep the emails, or enter a button URL',
  color: 'Please enter a color like #1a2b3c',
  other: 'Validation error',
  promptLength: 'Please use at most 1,000 characters',
} as const

/** Messages of the popup form and the API for a value that a CHECK of the table refuses, by its name. */
export const popupSentences = {
  popups_name_check: 'Name must be at most 100 characters',
  popups_name_visible: 'Please enter a visible name',
  popups_title_visible: 'Title is required',
  popups_title_check: 'Title must be at most 200 characters',
  popups_description_check: 'Description must be at most 500 characters',
  popups_cta_text_visible: 'Button text is required',
  popups_cta_text_check: 'Button text must be at most 50 characters',
  popups_consent_text_visible: 'Consent text is required',
  popups_consent_text_check: 'Consent text must be at most 500 characters',
  popups_email_over_https: 'To collect email addresses, the button URL must start with https://',
  popups_image_url_check: 'Please use a PNG, JPEG or WebP image whose address starts with https://',
  popups_background_color_check: popupFieldMessages.color,
  popups_text_color_check: popupFieldMessages.color,
  popups_button_color_check: popupFieldMessages.color,
  popups_button_text_color_check: popupFieldMessages.color,
  popups_position_check: 'The position must be center, top, bottom, bottom-right or bottom-left',
  popups_size_preset_check:
    'The size must be small, medium, large, extra-large, full-width, compact or tall',
  popups_trigger_delay_check: 'The delay must be between 0 and 10 seconds',
  popups_border_radius_check: 'The border radius must be between 0 and 24 pixels',
  popups_font_style_check: 'The font style must be casual, professional, modern or elegant',
  popups_shadow_style_check: 'The shadow style must be none, soft, medium or bold',
} as const

export const deletePopupQuestion =
  'Are you sure you want to delete this popup? This action cannot be undone.'
