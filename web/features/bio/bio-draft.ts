import {
  type BioForm,
  hasAddress,
  isSkippedLink,
  isSkippedSocialLink,
  linkAddress,
  mailboxOf,
  socialAddress,
} from '#domain/bio/bio-form.ts'
import { type LookId, plainLook } from '#domain/bio/looks.ts'
import { defaultTheme } from '#domain/bio/themes.ts'
import { namedOn } from '#domain/links/link-address.ts'
import type { BioLinkRow, BioPageRow, SavedBioPage } from '#web/api/database.ts'

/** A row of one of the two lists: `key` names it on the screen, `id` in the database once it was saved. */
interface Row {
  readonly key: string
  readonly id?: string
  readonly url: string
}

export interface LinkDraft extends Row {
  readonly kind: BioLinkRow['kind']
  readonly title: string
  readonly imageUrl: string | null
  /** When visitors begin to see the link, as ISO 8601; null: always. `endsAt`: when they cease to. */
  readonly startsAt: string | null
  readonly endsAt: string | null
  readonly isVisible: boolean
  /** Null on a plan without click counts, and for an unsaved link. */
  readonly clicks: number | null
}

export interface SocialLinkDraft extends Row {
  readonly platform: string
}

/** State of the editor: the form, with rows that keep their identity while they move. */
export interface BioDraft extends Omit<BioForm, 'links' | 'socialLinks'> {
  /** The host of the page; null is the server's own. */
  readonly domain: string | null
  readonly look: LookId
  readonly avatarUrl: string | null
  readonly links: readonly LinkDraft[]
  readonly socialLinks: readonly SocialLinkDraft[]
}

let lastKey = 0
const newKey = () => `row-${++lastKey}`

export function newLink(kind: LinkDraft['kind'] = 'link'): LinkDraft {
  return {
    key: newKey(),
    kind,
    title: '',
    url: '',
    imageUrl: null,
    startsAt: null,
    endsAt: null,
    isVisible: true,
    clicks: null,
  }
}

export function newSocialLink(platform: string): SocialLinkDraft {
  return { key: newKey(), platform, url: '' }
}

const newPage: BioDraft = {
  slug: '',
  domain: null,
  title: '',
  description: '',
  popupId: null,
  theme: defaultTheme,
  look: plainLook.id,
  avatarUrl: null,
  links: [],
  socialLinks: [],
}

/** Name and address of a page that is not saved yet. */
export type FirstAnswers = Pick<BioDraft, 'title' | 'slug' | 'domain'>

/** The page as `namedOn` has it. */
export function nameOfPage({ slug, domain }: Pick<BioPageRow, 'slug' | 'domain'>): string {
  return namedOn({ name: slug, domain })
}

export function bioDraftOf(saved: SavedBioPage | null, first?: FirstAnswers): BioDraft {
  if (saved === null) return { ...newPage, ...first }
  const { page, links, social_links } = saved
  return {
    slug: page.slug,
    domain: page.domain,
    title: page.title,
    description: page.description ?? '',
    popupId: page.popup_id,
    theme: {
      primary: page.theme_primary,
      background: page.theme_background,
      text: page.theme_text,
    },
    look: page.look,
    avatarUrl: page.avatar_url,
    links: links.map((link) => ({
      key: newKey(),
      id: link.id,
      kind: link.kind,
      title: link.title,
      url: link.url,
      imageUrl: link.image_url,
      startsAt: link.starts_at,
      endsAt: link.ends_at,
      isVisible: link.is_visible,
      clicks: link.click_count,
    })),
    socialLinks: social_links.map(({ id, platform, url }) => ({
      key: newKey(),
      id,
      platform,
      // People write mail addresses without the scheme.
      url: platform === 'email' ? mailboxOf(url) : url,
    })),
  }
}

/** Whether there is something to lose: empty rows don't count. */
export function isChanged(draft: BioDraft, from: BioDraft): boolean {
  return contentOf(draft) !== contentOf(from)
}

function contentOf({ links, socialLinks, theme, ...page }: BioDraft): string {
  const { slug, title, description, popupId, look, avatarUrl } = page
  return JSON.stringify([
    [slug, title, description, popupId, look, avatarUrl],
    [theme.primary, theme.background, theme.text],
    links
      .filter((row) => row.kind === 'divider' || row.title + row.url !== '')
      .map((row) => [
        [row.kind, row.title, row.url, row.isVisible],
        [row.imageUrl, row.startsAt, row.endsAt],
      ]),
    socialLinks.filter((row) => row.url !== '').map((row) => [row.platform, row.url]),
  ])
}

/** The rows that a save sends, with the addresses to store. The form has been checked. */
export function rowsToSave({ links, socialLinks }: BioDraft) {
  return {
    links: links
      .filter((row) => !isSkippedLink(row))
      .map(({ id, kind, title, url, isVisible, imageUrl, startsAt, endsAt }) => ({
        ...(id === undefined ? {} : { id }),
        kind,
        title: title.trim(),
        url: hasAddress(kind) ? (linkAddress(url) ?? url) : '',
        is_visible: isVisible,
        image_url: imageUrl,
        starts_at: startsAt,
        ends_at: endsAt,
      })),
    socialLinks: socialLinks
      .filter((row) => !isSkippedSocialLink(row))
      .map(({ id, platform, url }) => ({
        ...(id === undefined ? {} : { id }),
        platform,
        url: socialAddress(platform, url) ?? url,
      })),
  }
}

/** The draft after a save: saved rows as they are stored, under their ids; rows that were skipped stay as typed. */
export function afterSave(draft: BioDraft, saved: SavedBioPage): BioDraft {
  const stored = bioDraftOf(saved)
  const takeTurns = <T extends Row>(
    rows: readonly T[],
    answers: readonly T[],
    isSkipped: (row: T) => boolean,
  ) => {
    let next = 0
    return rows.map((row) => {
      const answer = isSkipped(row) ? undefined : answers[next++]
      return answer === undefined ? row : { ...answer, key: row.key }
    })
  }
  return {
    ...stored,
    links: takeTurns(draft.links, stored.links, isSkippedLink),
    socialLinks: takeTurns(draft.socialLinks, stored.socialLinks, isSkippedSocialLink),
  }
}

/** The keys of the rows with a problem; paths are like 'links.2.url'. */
export function rowsWithProblems(draft: BioDraft, paths: Iterable<string>): string[] {
  return [...paths].flatMap((path) => {
    const [list, index] = path.split('.')
    if (list !== 'links' && list !== 'socialLinks') return []
    const row = draft[list][Number(index)]
    return row === undefined ? [] : [row.key]
  })
}
