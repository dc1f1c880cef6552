import type { Notice } from './texts.ts'

/** Messages of the screen Audience. */
export const audienceNotices = {
  loadFailed: { title: 'Failed to load addresses' },
  tagged: { title: 'Tags saved' },
  tagFailed: { title: 'Failed to save tags' },
  deleted: { title: 'Addresses deleted' },
  deleteFailed: { title: 'Failed to delete addresses' },
  csvFailed: { title: 'Failed to export addresses' },
  saved: { title: 'Settings saved' },
  saveFailed: { title: 'Failed to save settings' },
} as const satisfies Record<string, Notice>

/** How long leads are kept, in days; '' for good. */
export const leadRetentions = [
  { value: '', label: 'Forever' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '730', label: '2 years' },
] as const
