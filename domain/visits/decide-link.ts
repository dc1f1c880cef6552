import { placementMark } from '#domain/links/qr-address.ts'
import { chooseRule, type ChosenRule } from './choose-rule.ts'
import { forwardQuery, type QueryForwarding } from './forward-query.ts'
import type { LinkRules } from './rules.ts'
import type { RuleFacts } from './reading/visit-reading.ts'

/** Status of a redirect; 301 and 308 are remembered by browsers. */
export type RedirectStatus = 301 | 302 | 307 | 308

/** Options of a link beyond its destination and popup. Times are epoch milliseconds. */
export interface LinkOptions {
  startsAt: number | undefined
  endsAt: number | undefined
  maxClicks: number | undefined
  /** Where visitors go before the start and after the end. */
  fallbackUrl: string | undefined
  hasPassword: boolean
  forwarding: QueryForwarding | undefined
  status: RedirectStatus
  /** Texts or a picture for link previewers. */
  hasPreview: boolean
  /** Whether `/{code}+` shows where the link leads. */
  showPreviewPage: boolean
  /** Undefined for a link without any. */
  ruling: LinkRuling | undefined
  /** Campaigns of placements as queries, by mark: they replace those of the destination. Undefined for a link without any. */
  campaigns: ReadonlyMap<string, string> | undefined
}

/** The rules of a link, with the addresses in them that nobody may be sent to: blocked hosts, and this server. */
export interface LinkRuling {
  rules: LinkRules
  refused: ReadonlySet<string>
}

/** A link as a decision sees it. */
export interface DecidedLink {
  state: 'on' | 'off' | 'blocked'
  destination: string
  hasPopup: boolean
  /** Undefined for a link without any. */
  options: LinkOptions | undefined
}

/** A visit as a decision sees it. Facts that cost something are functions: most links never ask. */
export interface LinkVisit {
  /** The visitor asked for `/{code}+`. */
  wantsPreviewPage: boolean
  /** The query of the visit, without `?`. */
  query: string
  /** Whether a chat app or a social network asks for a preview. */
  isPreviewer: () => boolean
  /** Whether the visitor has given the link's password. */
  hasGivenPassword: () => boolean
  /** The clicks of the link so far. */
  clicks: () => number
  /** For rules; asked at most once. */
  facts: () => RuleFacts
}

/** The response to a visit. */
export type LinkOutcome =
  | { do: 'off' }
  | { do: 'blocked' }
  | { do: 'preview' | 'password' | 'no-preview-page' }
  /** `to` is the fallback address. */
  | { do: 'not-yet' | 'ended'; to: string | undefined }
  /** `to` is undefined where a password, rules or dates decide. */
  | { do: 'preview-page'; to: string | undefined }
  | { do: 'interstitial'; to: string; chosen?: ChosenRule | undefined }
  | { do: 'redirect'; to: string; status: RedirectStatus; chosen?: ChosenRule | undefined }

/**
 * Decides a visit to a link, the same for visitors, the simulator and expectations. The order is fixed: blocked or off, not
 * yet, ended, `+`, previewer, password, rules, popup, redirect.
 *
 * @param now epoch milliseconds
 */
export function decideLink(link: DecidedLink, visit: LinkVisit, now: number): LinkOutcome {
  if (link.state !== 'on') return { do: link.state }
  const { destination, options } = link
  if (options === undefined) {
    const to = destination
    if (visit.wantsPreviewPage) return { do: 'preview-page', to }
    return link.hasPopup ? { do: 'interstitial', to } : { do: 'redirect', to, status: 302 }
  }
  if (options.startsAt !== undefined && now < options.startsAt)
    return { do: 'not-yet', to: options.fallbackUrl }
  if (hasEnded(options, visit, now)) return { do: 'ended', to: options.fallbackUrl }
  if (visit.wantsPreviewPage) {
    if (!options.showPreviewPage) return { do: 'no-preview-page' }
    return { do: 'preview-page', to: dependsOnVisitor(options) ? undefined : destination }
  }
  if (options.hasPreview && visit.isPreviewer()) return { do: 'preview' }
  if (options.hasPassword && !visit.hasGivenPassword()) return { do: 'password' }
  const { ruling, forwarding, campaigns, status } = options
  const chosen = ruling && chooseRule(ruling.rules, visit.facts(), now)
  const address = chosen?.to ?? destination
  if (ruling?.refused.has(address)) return { do: 'blocked' }
  const placed = campaigns ? withCampaign(address, visit.query, campaigns) : address
  const to = forwarding ? forwardQuery(placed, visit.query, forwarding) : placed
  if (link.hasPopup) return { do: 'interstitial', to, chosen }
  return { do: 'redirect', to, status, chosen }
}

/** The address with the campaign of the placement that was scanned, if it has one. */
function withCampaign(
  address: string,
  query: string,
  campaigns: ReadonlyMap<string, string>,
): string {
  const campaign = campaigns.get(placementMark(query) ?? '')
  return campaign === undefined
    ? address
    : forwardQuery(address, campaign, { names: 'all', overrides: true })
}

function hasEnded({ endsAt, maxClicks }: LinkOptions, visit: LinkVisit, now: number): boolean {
  if (endsAt !== undefined && now >= endsAt) return true
  return maxClicks !== undefined && visit.clicks() >= maxClicks
}

const dependsOnVisitor = ({ hasPassword, startsAt, endsAt, ruling }: LinkOptions) =>
  hasPassword || ruling !== undefined || startsAt !== undefined || endsAt !== undefined
