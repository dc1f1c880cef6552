import { destinationNotice } from '#domain/links/destination-notice.ts'
import { readDestination } from '#domain/links/destinations.ts'
import type { LinkRow } from '#web/api/database.ts'
import { site } from '#web/site.ts'
import { optionsDraftOf, type OptionsDraft } from '../options/options-draft.ts'
import { noUtm, type Utm, utmNames, withUtm } from '../options/utm.ts'
import type { EnteredRules } from '../rules/rules-panel.tsx'
import { joinedTags } from '#web/tags/tag-names.ts'

/** The most links that the form makes at once. */
export const maxLines = 100

export interface ComposeDraft {
  /** One address a line. */
  url: string
  utm: Utm
  /** The host; null is the server's own, undefined the account's default. */
  domain: string | null | undefined
  code: string
  popupId: string | null
  isOnBio: boolean
  bioTitle: string
  options: OptionsDraft | undefined
  rules: EnteredRules | undefined
}

export const emptyComposeDraft: ComposeDraft = {
  url: '',
  utm: noUtm,
  domain: undefined,
  code: '',
  popupId: null,
  isOnBio: false,
  bioTitle: '',
  options: undefined,
  rules: undefined,
}

/** The form for another link like this one. Its password cannot be read, and its rules are read later. */
export function draftLike(link: LinkRow): ComposeDraft {
  return {
    ...emptyComposeDraft,
    url: link.original_url,
    domain: link.domain,
    popupId: link.show_popup ? link.popup_id : null,
    options: { ...optionsDraftOf(link), isArchived: false },
  }
}

/** The form after a link was made with it: host, campaign and tags stay for the next one. */
export function nextDraft({ utm, domain, options }: ComposeDraft): ComposeDraft {
  const tags = options === undefined ? [] : joinedTags(options.tags, options.tagText)
  return {
    ...emptyComposeDraft,
    utm,
    domain,
    options: tags.length === 0 ? undefined : { ...optionsDraftOf(undefined), tags },
  }
}

/** A line of the destinations: the address to store, or why there is none. */
export interface PlannedLink {
  /** Number of the line, from 1. */
  line: number
  typed: string
  url: string | undefined
  problem: string | undefined
  /** The line that has the same address already. */
  sameAs: number | undefined
}

/** The links that the lines of a form would make, in their order. */
export function planLinks(text: string, utm: Utm): PlannedLink[] {
  const lines = text.split(/\r\n|\r|\n/).map((each, i) => ({ line: i + 1, typed: each.trim() }))
  const firstWith = new Map<string, number>()
  return lines
    .filter(({ typed }) => typed !== '')
    .map(({ line, typed }) => {
      const read = readDestination(withUtm(typed, givenUtm(utm)), { ownHosts: site.ownHosts })
      if (!read.ok) {
        const { title, description = title } = destinationNotice(read.reason)
        return { line, typed, url: undefined, problem: description, sameAs: undefined }
      }
      const sameAs = firstWith.get(read.url)
      if (sameAs === undefined) firstWith.set(read.url, line)
      return { line, typed, url: read.url, problem: undefined, sameAs }
    })
}

function givenUtm(utm: Utm): Partial<Utm> {
  return Object.fromEntries(utmNames.map((name) => [name, utm[name]]).filter(([, value]) => value))
}

/** Takes a campaign out of each line, for the fields that hold it from now on. */
export function withoutUtm(text: string, change: Partial<Utm>): string {
  const nothing = Object.fromEntries(Object.keys(change).map((name) => [name, '']))
  return text
    .split('\n')
    .map((line) => withUtm(line, nothing))
    .join('\n')
}
