import { forwardQuery, type QueryForwarding } from './forward-query.ts'

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
  | { do: 'interstitial'; to: string }
  | { do: 'redirect'; to: string; status: RedirectStatus }

/**
 * Decides a visit to a link, the same for visitors, the simulator and expectations. The order is fixed: blocked or off, not
 * yet, ended, `+`, previewer, password, rules, popup, redirect.
 *
 * @param now epoch milliseconds
 */
export function decideLink(link: DecidedLink, visit: LinkVisit, now: number): LinkOutcome {
  if (link.state !== 'on') return { do: link.state }
  const { destination: to, options } = link
  if (options === undefined) {
    if (visit.wantsPreviewPage) return { do: 'preview-page', to }
    return link.hasPopup ? { do: 'interstitial', to } : { do: 'redirect', to, status: 302 }
  }
  if (options.startsAt !== undefined && now < options.startsAt)
    return { do: 'not-yet', to: options.fallbackUrl }
  if (hasEnded(options, visit, now)) return { do: 'ended', to: options.fallbackUrl }
  if (visit.wantsPreviewPage) {
    if (!options.showPreviewPage) return { do: 'no-preview-page' }
    return { do: 'preview-page', to: dependsOnVisitor(options) ? undefined : to }
  }
  if (options.hasPreview && visit.isPreviewer()) return { do: 'preview' }
  if (options.hasPassword && !visit.hasGivenPassword()) return { do: 'password' }
  const address = options.forwarding ? forwardQuery(to, visit.query, options.forwarding) : to
  if (link.hasPopup) return { do: 'interstitial', to: address }
  return { do: 'redirect', to: address, status: options.status }
}

function hasEnded({ endsAt, maxClicks }: LinkOptions, visit: LinkVisit, now: number): boolean {
  if (endsAt !== undefined && now >= endsAt) return true
  return maxClicks !== undefined && visit.clicks() >= maxClicks
}

const dependsOnVisitor = ({ hasPassword, startsAt, endsAt }: LinkOptions) =>
  hasPassword || startsAt !== undefined || endsAt !== undefined
