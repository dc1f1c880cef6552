import { destinationNotice } from '#domain/links/destination-notice.ts'
import { checkDestination, readDestination } from '#domain/links/destinations.ts'
import {
  fitsLinkText,
  linkLimits,
  linkRefusals,
  linkSentences,
  type LinkTextColumn,
  linkTextSentence,
  ofLinkTexts,
  visitorPasswordMaxBytes,
} from '#domain/links/link-limits.ts'
import { popupSentences } from '#domain/popups/popup-limits.ts'
import type { LinkRow } from '#web/api/database.ts'
import type { OptionColumns } from '../change-link.ts'
import { joinedTags } from '#web/tags/tag-names.ts'
import { localTimeOf } from '#web/ui/local-time.ts'
import type { OptionsDraft } from './options-draft.ts'

/** The columns to save, or the first field with a problem. */
export type CheckedOptions =
  | { readonly ok: true; readonly columns: OptionColumns }
  | { readonly ok: false; readonly field: keyof OptionsDraft; readonly text: string }

class Problem extends Error {
  readonly field: keyof OptionsDraft

  constructor(field: keyof OptionsDraft, text: string) {
    super(text)
    this.field = field
  }
}

/**
 * Checks the form by the rules of the API and with its sentences.
 *
 * @param link the saved one: its times keep their seconds while their fields are untouched
 */
export function checkOptions(
  options: OptionsDraft,
  link: LinkRow | undefined,
  ownHosts: readonly string[],
): CheckedOptions {
  try {
    return { ok: true, columns: columnsOf(options, link, ownHosts) }
  } catch (error) {
    if (error instanceof Problem) return { ok: false, field: error.field, text: error.message }
    throw error
  }
}

function columnsOf(
  options: OptionsDraft,
  link: LinkRow | undefined,
  ownHosts: readonly string[],
): OptionColumns {
  const { password, isArchived } = options
  const startsAt = instantOf(options.startsAt, link?.starts_at)
  const endsAt = instantOf(options.endsAt, link?.ends_at)
  const columns = {
    ...ofLinkTexts((column) => textOf(options, column)),
    tags: tagsOf(options),
    starts_at: startsAt,
    ends_at: endsAt,
    max_clicks: maxClicksOf(options.maxClicks),
    fallback_url: fallbackOf(options.fallbackUrl, ownHosts),
    forward_query: forwardQueryOf(options),
    forward_overrides: options.forwardOverrides,
    redirect_status: options.redirectStatus,
    preview_image_url: imageOf(options.previewImage),
    show_preview_page: options.showPreviewPage,
    archived_at: isArchived ? (link?.archived_at ?? new Date().toISOString()) : null,
    ...(password === null ? {} : { password: passwordOf(password) }),
  } satisfies OptionColumns
  if (startsAt !== null && endsAt !== null && Date.parse(endsAt) <= Date.parse(startsAt))
    throw new Problem('endsAt', linkSentences.shortened_urls_dates)
  return columns
}

function textOf(options: OptionsDraft, column: LinkTextColumn): string | null {
  const text = options[column].trim()
  if (!fitsLinkText(column, text)) throw new Problem(column, linkTextSentence(column))
  return text === '' ? null : text
}

function tagsOf({ tags, tagText }: OptionsDraft): string[] {
  const all = joinedTags(tags, tagText)
  if (all.length > linkLimits.tags) throw new Problem('tagText', linkRefusals.tagsOfLink)
  if (all.some((name) => Array.from(name).length > linkLimits.tag))
    throw new Problem('tagText', linkSentences.tags_name_check)
  return all
}

function instantOf(local: string, saved: string | null | undefined): string | null {
  if (local === '') return null
  if (typeof saved === 'string' && localTimeOf(saved) === local) return saved
  return new Date(local).toISOString()
}

function maxClicksOf(typed: string): number | null {
  const text = typed.trim()
  if (text === '') return null
  const clicks = /^\d+$/.test(text) ? Number(text) : 0
  if (clicks < 1 || clicks > linkLimits.maxClicks)
    throw new Problem('maxClicks', linkSentences.shortened_urls_max_clicks_check)
  return clicks
}

function fallbackOf(typed: string, ownHosts: readonly string[]): string | null {
  if (typed.trim() === '') return null
  const read = readDestination(typed, { ownHosts })
  if (read.ok) return read.url
  const { title, description = title } = destinationNotice(read.reason)
  throw new Problem('fallbackUrl', description)
}

// The patterns of app.is_image_address in the database.
const uploaded = /^\/media\/[0-9a-f]{64}\.(png|jpe?g|webp)$/
const picture = /^https:\/\/[^/?#]+\/[^?#]*\.(png|jpe?g|webp)([?#]|$)/i

function imageOf(typed: string): string | null {
  const text = typed.trim()
  if (text === '' || uploaded.test(text)) return text || null
  // A picture may be on this server's host.
  const read = checkDestination(text, { ownHosts: [] })
  if (!read.ok || !picture.test(read.url))
    throw new Problem('previewImage', popupSentences.popups_image_url_check)
  return read.url
}

function passwordOf(typed: string): string {
  if (new TextEncoder().encode(typed).length > visitorPasswordMaxBytes)
    throw new Problem('password', 'A password has at most 1,024 bytes')
  return typed
}

const parameterName = /^[A-Za-z0-9_.~*[\]-]{1,100}$/

function forwardQueryOf({ forwarding, forwardNames }: OptionsDraft): string {
  if (forwarding !== 'named') return forwarding
  const names = [...new Set(forwardNames.split(/[,\s]+/).filter((name) => name !== ''))]
  if (names.length === 0 || names.length > 50 || !names.every((name) => parameterName.test(name)))
    throw new Problem('forwardNames', linkSentences.shortened_urls_forward_query_check)
  return names.join(',')
}
