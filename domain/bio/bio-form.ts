import * as z from 'zod/mini'
import type { ApiRows } from '#domain/database.generated.ts'
import { readDestination } from '#domain/links/destinations.ts'
import { readEmailAddress } from '#domain/forms/email-address.ts'
import { commonLimits } from '#domain/plans.ts'
import { bioFieldMessages as messages } from '#domain/texts/bio-texts.ts'
import { isVisible, limitedText, requiredText } from '#domain/forms/visible-text.ts'

/** Limits of the database; the hint of the form says 3 to 30, which is advice and is not enforced. */
export const bioLimits = {
  slug: 50,
  title: 200,
  description: 1000,
  linkTitle: 200,
  links: commonLimits.bioLinks,
  socialLinks: 50,
} as const

/** A slug as the form keeps it while it is typed: lower case, only a-z, 0-9, hyphen and underscore. */
export function slugAsTyped(raw: string): string {
  return raw.toLowerCase().replace(/[^a-z0-9_-]/g, '')
}

/** Latin letters without a decomposition in Unicode, as people spell them in addresses. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ı: 'i',
  ð: 'd',
  ħ: 'h',
  ŋ: 'n',
  ŧ: 't',
  ĸ: 'k',
  ſ: 's',
}

/** The slug that a page gets from its title: words joined by hyphens, at most the 30 characters of the hint. */
export function slugOf(title: string): string {
  const plain = title
    .toLowerCase()
    .replace(/[ßøłđæœþıðħŋŧĸſ]/g, (letter) => plainLetters[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .trim()
    .replace(/[\s\u2010-\u2015/|·•]+/g, '-')
  return slugAsTyped(plain).replace(/-+/g, '-').slice(0, 30).replace(/^-|-$/g, '')
}

/**
 * The address to store for a social link, or null when it can't be one. Platform email takes a bare address or a
 * mailto: one without headers, everything else absolute http or https.
 *
 * @example socialAddress('email', 'r&d@müller.de') === 'mailto:r%26d@xn--mller-kva.de'
 */
export function socialAddress(platform: string, raw: string): string | null {
  const typed = raw.trim()
  if (platform === 'email' && !/^https?:/i.test(typed)) {
    const mail = readEmailAddress(/^mailto:/i.test(typed) ? mailboxOf(typed) : typed)
    return mail === undefined ? null : `mailto:${mail.replaceAll(reserved, encodeURIComponent)}`
  }
  return linkAddress(typed)
}

// They begin headers or a fragment in a mailto: address (RFC 6068). The database's CHECK takes their escapes and no others.
const reserved = /[#%&?^`]/g

/** The mailbox of a mailto: address as people type it; other texts stay. */
export function mailboxOf(url: string): string {
  const text = url.replace(/^mailto:/i, '')
  if (text === url || /[?#&]/.test(text)) return url
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The address to store for a link, or null when it can't be one: absolute http or https, with https:// where the scheme is missing. */
export function linkAddress(raw: string): string | null {
  const checked = readDestination(raw, { ownHosts: [] })
  return checked.ok ? checked.url : null
}

/** Kinds of the entries of a bio page. */
export const bioEntryKinds = ['link', 'header', 'divider'] as const satisfies BioEntryKind[]

export type BioEntryKind = ApiRows['bio_links']['kind']

/** Whether an entry of the kind leads somewhere. */
export function hasAddress(kind: BioEntryKind): boolean {
  return kind === 'link'
}

interface LinkContent {
  kind: BioEntryKind
  title: string
  url: string
}

/** A row that the save leaves out: it lacks required fields. Links need a title and a URL, headers a title. */
export function isSkippedLink({ kind, title, url }: LinkContent): boolean {
  return kind !== 'divider' && (!isVisible(title) || (hasAddress(kind) && url.trim() === ''))
}

export function isSkippedSocialLink({ url }: { url: string }): boolean {
  return url.trim() === ''
}

const color = z.string()

function isEmail(input: unknown): boolean {
  return (
    typeof input === 'object' && input !== null && 'platform' in input && input.platform === 'email'
  )
}

const slug = requiredText(bioLimits.slug, messages.required, messages.slug)
const title = requiredText(bioLimits.title, messages.required, messages.title)

/** Name and address of a new page. */
export const startForm = z.object({ title, slug })

/** The bio page form: rows that a save skips may hold anything, the others need an address. */
export const bioForm = z.object({
  links: z
    .array(
      z
        .object({
          kind: z.enum(bioEntryKinds),
          title: limitedText(bioLimits.linkTitle, messages.linkTitle),
          url: z.string(),
          startsAt: z.nullable(z.string()),
          endsAt: z.nullable(z.string()),
        })
        .check(
          z.refine(
            (link) =>
              isSkippedLink(link) || !hasAddress(link.kind) || linkAddress(link.url) !== null,
            { path: ['url'], error: messages.url },
          ),
          z.refine(
            ({ startsAt, endsAt }) =>
              startsAt === null || endsAt === null || Date.parse(startsAt) < Date.parse(endsAt),
            { path: ['endsAt'], error: messages.linkDates },
          ),
        ),
    )
    .check(z.maxLength(bioLimits.links, messages.links)),
  slug,
  title,
  description: limitedText(bioLimits.description, messages.description),
  popupId: z.nullable(z.string()),
  theme: z.object({ primary: color, background: color, text: color }),
  socialLinks: z
    .array(
      z.object({ platform: z.string(), url: z.string() }).check(
        z.refine(
          (link) => isSkippedSocialLink(link) || socialAddress(link.platform, link.url) !== null,
          {
            path: ['url'],
            error: ({ input }) => (isEmail(input) ? messages.emailAddress : messages.url),
          },
        ),
      ),
    )
    .check(z.maxLength(bioLimits.socialLinks, messages.socialLinks)),
})

export type BioForm = z.infer<typeof bioForm>

/** Errors of a form, by the path of the field ('title', 'links.2.url'), in the order of the screen. */
export function bioFormProblems(form: BioForm): ReadonlyMap<string, string> {
  const result = bioForm.safeParse(form)
  const problems = new Map<string, string>()
  for (const issue of result.error?.issues ?? []) {
    const path = issue.path.join('.')
    if (!problems.has(path)) problems.set(path, issue.message)
  }
  return problems
}
