import type { OptionsDraft } from './options-draft.ts'
import { type Utm, utmNames } from './utm.ts'

/** The parts of the form of a link, in their order. */
export const linkSections = {
  link: 'Link',
  campaign: 'Campaign',
  schedule: 'Schedule',
  access: 'Access',
  preview: 'Preview',
  rules: 'A/B and rules',
} as const

export type LinkSection = keyof typeof linkSections
/** Those with options. */
export type OptionSection = Exclude<LinkSection, 'rules'>

const sectionsOfFields: Record<keyof OptionsDraft | 'code' | 'popup', LinkSection> = {
  code: 'link',
  popup: 'link',
  title: 'link',
  note: 'link',
  forwarding: 'link',
  forwardNames: 'link',
  forwardOverrides: 'link',
  redirectStatus: 'link',
  isArchived: 'link',
  tags: 'campaign',
  tagText: 'campaign',
  startsAt: 'schedule',
  endsAt: 'schedule',
  maxClicks: 'schedule',
  fallbackUrl: 'schedule',
  password: 'access',
  showPreviewPage: 'access',
  preview_title: 'preview',
  preview_description: 'preview',
  previewImage: 'preview',
}

/** The part that has a field; undefined for a field that is always in sight. */
export function sectionOfField(field: string): LinkSection | undefined {
  return (sectionsOfFields as Partial<Record<string, LinkSection>>)[field]
}

interface SetOptions {
  options: OptionsDraft
  hasPassword: boolean
  utm: Utm
}

/** How many options of each part differ from those of a plain link. */
export function countSet({ options, hasPassword, utm }: SetOptions): Record<OptionSection, number> {
  const count = (...set: boolean[]) => set.filter(Boolean).length
  const filled = (...texts: string[]) => texts.filter((text) => text.trim() !== '').length
  const { title, note, forwarding, redirectStatus, isArchived, tags, tagText } = options
  const { startsAt, endsAt, maxClicks, fallbackUrl, password, showPreviewPage } = options
  const { preview_title, preview_description, previewImage } = options
  return {
    link: filled(title, note) + count(forwarding !== 'none', redirectStatus !== 302, isArchived),
    campaign:
      filled(...utmNames.map((name) => utm[name])) +
      count(tags.length > 0 || tagText.trim() !== ''),
    schedule: filled(startsAt, endsAt, maxClicks, fallbackUrl),
    access: count(password === null ? hasPassword : password !== '', !showPreviewPage),
    preview: filled(preview_title, preview_description, previewImage),
  }
}
