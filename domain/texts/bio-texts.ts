import { failure, type Notice, notices } from './texts.ts'

/** Messages of the bio page editor about success and failure. */
export const bioNotices = {
  loadFailed: failure('Failed to load bio page'),
  saveFailed: failure('Failed to save bio page'),
  required: { title: 'Please fill in slug and title' },
  saved: { title: 'Success', description: 'Bio page saved successfully!' },
  avatarFailed: { title: 'Failed to upload picture' },
} as const satisfies Record<string, Notice>

/** The notice of a chosen preset. */
export function themeAppliedNotice(themeName: string): Notice {
  return { title: 'Theme applied', description: `${themeName} theme selected` }
}

/** Messages of the bio page form about one field. */
export const bioFieldMessages = {
  required: 'Please fill in slug and title',
  slug: 'Slug must be at most 50 characters',
  title: 'Title must be at most 200 characters',
  description: 'Description must be at most 1,000 characters',
  linkTitle: 'Link title must be at most 200 characters',
  linkDates: 'The end must be after the start',
  url: notices.invalidUrl.description,
  emailAddress: 'Please enter a valid email address',
  look: 'Please choose one of the looks',
  avatar: 'Please use a picture that was uploaded here',
  links: 'A bio page has at most 100 links.',
  socialLinks: 'A bio page has at most 50 social links.',
} as const
