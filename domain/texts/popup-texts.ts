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
  noAi: 'Drafts without AI',
  noImageAi: 'Image drafts without AI',
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

export const deletePopupQuestion =
  'Are you sure you want to delete this popup? This action cannot be undone.'
