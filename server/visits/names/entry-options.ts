import type { LinkOptions, LinkRuling, RedirectStatus } from '#domain/visits/decide-link.ts'
import { forwardingOf } from '#domain/visits/forward-query.ts'
import { utmFields } from '#domain/reports/hits.ts'
import { type LinkRules, ruleAddresses } from '#domain/visits/rules.ts'
import { ifDefined } from '../../primitives/if-defined.ts'
import { imageOf, mayFollow } from './shown-urls.ts'

/** The options of a link as the look-up reads them: null for the defaults. Times are epoch milliseconds. */
export interface OptionsRow {
  starts_at: number | null
  ends_at: number | null
  max_clicks: number | null
  clicks: number
  fallback_url: string | null
  password_hash: string | null
  password_version: string | null
  forward_query: string
  forward_overrides: boolean
  redirect_status: RedirectStatus
  preview_title: string | null
  preview_description: string | null
  preview_image_url: string | null
  show_preview_page: boolean
  ruling: { rules: LinkRules; blocked: readonly string[] } | null
  /** Placements with a campaign: the mark, and the texts of `utmFields`. */
  campaigns: readonly (readonly string[])[] | null
}

// The columns and the condition of the index placements_with_utm.
const utmColumns = utmFields.map((field) => `p.${field}`)
const campaigns = `from app.placements p where p.link_id = s.id and (${utmColumns.map((column) => `${column} <> ''`).join(' or ')})`

const epochMs = (column: string) => `(extract(epoch from s.${column}) * 1000)::bigint`

/** Whether a link that is joined as `s` has one of the options below. */
export const hasOptions = `(s.starts_at is not null or s.ends_at is not null or s.max_clicks is not null
      or s.password_version is not null or s.forward_query <> 'none' or s.redirect_status <> 302 or s.preview_title is not null
      or s.preview_description is not null or s.preview_image_url is not null or not s.show_preview_page or s.rules_version > 0
      or exists (select ${campaigns}))`

/**
 * The options of a link that is joined as `s`, as JSON; null for a link without any. A fallback on a blocked host is none.
 */
export const optionColumns = `case when ${hasOptions}
    then jsonb_build_object('starts_at', ${epochMs('starts_at')}, 'ends_at', ${epochMs('ends_at')},
      'max_clicks', s.max_clicks, 'clicks', s.click_count,
      'fallback_url', case when app.block_of(null, null, s.fallback_url) is null then s.fallback_url end,
      'password_hash', s.password_hash, 'password_version', s.password_version, 'forward_query', s.forward_query,
      'forward_overrides', s.forward_overrides, 'redirect_status', s.redirect_status, 'preview_title', s.preview_title,
      'preview_description', s.preview_description, 'preview_image_url', s.preview_image_url,
      'show_preview_page', s.show_preview_page,
      'ruling', case when s.rules_version > 0 then (select jsonb_build_object('rules', r.rules,
        'blocked', app.blocked_rule_addresses(r.rules)) from app.link_rules r where r.link_id = s.id) end,
      'campaigns', (select jsonb_agg(jsonb_build_array(p.mark, ${utmColumns.join(', ')})) ${campaigns})) end`

/** The preview for link previewers. */
export interface LinkPreview {
  title: string | undefined
  description: string | undefined
  imageUrl: string | undefined
}

/** The options of a link in memory. */
export interface EntryOptions extends LinkOptions {
  /** Clicks that the database had counted when the entry was read. */
  clicks: number
  password: { hash: string; version: string } | undefined
  preview: LinkPreview
}

interface OptionsContext {
  ownHosts: readonly string[]
  allowPermanentRedirects: boolean
}

/** Checks addresses again as strictly as when they were stored: one that fails is left out. */
export function optionsOf(row: OptionsRow, context: OptionsContext): EntryOptions {
  const { password_hash: hash, password_version: version, fallback_url: fallback } = row
  const preview = {
    title: row.preview_title ?? undefined,
    description: row.preview_description ?? undefined,
    imageUrl: imageOf(row.preview_image_url) ?? undefined,
  }
  return {
    startsAt: row.starts_at ?? undefined,
    endsAt: row.ends_at ?? undefined,
    maxClicks: row.max_clicks ?? undefined,
    clicks: row.clicks,
    fallbackUrl: fallback !== null && mayFollow(fallback, context.ownHosts) ? fallback : undefined,
    hasPassword: version !== null,
    password: hash !== null && version !== null ? { hash, version } : undefined,
    forwarding: forwardingOf(row.forward_query, row.forward_overrides),
    status: statusOf(row.redirect_status, context),
    hasPreview: Object.values(preview).some((part) => part !== undefined),
    preview,
    showPreviewPage: row.show_preview_page,
    ruling: ifDefined(row.ruling, (ruling) => rulingOf(ruling, context.ownHosts)),
    campaigns: ifDefined(row.campaigns, campaignsOf),
  }
}

/** Whether a link with these options redirects every visitor with the status 302, and nothing but rules and placements decides where. */
export function redirectsPlainly(options: EntryOptions): boolean {
  const { startsAt, endsAt, maxClicks, hasPassword, forwarding, status, hasPreview, ruling } =
    options
  const hasDates = startsAt !== undefined || endsAt !== undefined || maxClicks !== undefined
  const hasOthers = hasPassword || hasPreview || forwarding !== undefined
  // A refused address is answered with a page.
  const onlyRedirects = ruling === undefined || ruling.refused.size === 0
  return !hasDates && !hasOthers && onlyRedirects && status === 302
}

function rulingOf(
  { rules, blocked }: NonNullable<OptionsRow['ruling']>,
  ownHosts: readonly string[],
): LinkRuling {
  const unsafe = ruleAddresses(rules).filter((address) => !mayFollow(address, ownHosts))
  return { rules, refused: new Set([...blocked, ...unsafe]) }
}

function campaignsOf(rows: readonly (readonly string[])[]): ReadonlyMap<string, string> {
  return new Map(rows.map(([mark = '', ...texts]) => [mark, campaignQuery(texts)]))
}

/** `utm_source=poster&utm_content=table%204` */
function campaignQuery(texts: readonly string[]): string {
  const pairs = utmFields.flatMap((field, i) =>
    texts[i] ? [`${field}=${encodeURIComponent(texts[i])}`] : [],
  )
  return pairs.join('&')
}

/** After the operator has taken the permission back, a permanent redirect is one that no browser remembers. */
function statusOf(status: RedirectStatus, { allowPermanentRedirects }: OptionsContext) {
  if (allowPermanentRedirects) return status
  if (status === 301) return 302
  return status === 308 ? 307 : status
}
