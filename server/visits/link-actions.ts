import type { IncomingMessage } from 'node:http'
import type { RedirectStatus } from '#domain/visits/decide-link.ts'
import type { PopupView } from '#public-pages/view-models.ts'
import type { PublicSite } from '../http/public-site.ts'
import type { Logger } from '../log.ts'
import type { ClickRecorder } from './click-recorder.ts'
import type { ClickTally } from './counting/click-tally.ts'
import type { LinkDecision, VisitDecision } from './decide.ts'
import type { LinkPages } from './visitor-pages/link-pages.ts'
import type { LinkEntry } from './names/name-entry.ts'
import type { VisitorPages } from './visitor-pages/pages.ts'
import {
  redirectSite,
  redirectTo,
  type ResponseSink,
  type VisitResponse,
  withRequestId,
} from './responses.ts'
import { withRule } from './rules/with-rule.ts'
import type { ClickVerdict } from './visitor/visitor-facts.ts'
import type { ReadVisitor } from './visitor/visitor.ts'

export interface LinkActionsDeps {
  config: PublicSite
  clicks: ClickRecorder
  pages: VisitorPages
  linkPages: LinkPages
  tally: ClickTally
  visitorOf: ReadVisitor
  log: Logger
}

export const isOfLink = (decision: { do: string } | VisitDecision): decision is LinkDecision =>
  'link' in decision && decision.do !== 'bio-link'

/** The effects of a decision about a link: record the visit, then send the redirect or the page. */
export function createLinkActions({
  config,
  clicks,
  pages,
  linkPages,
  tally,
  visitorOf,
  log,
}: LinkActionsDeps) {
  const redirectOf = (
    { destination, redirect, site }: LinkEntry,
    to: string,
    status: RedirectStatus,
  ) =>
    to === destination && status === 302
      ? redirect
      : redirectTo(to, redirectSite(site, config), status)

  /** A popup that cannot be rendered must not stop the visitor: the response is then a plain redirect. */
  const interstitial = (
    link: LinkEntry,
    to: string,
    popup: PopupView,
    request: IncomingMessage,
  ): VisitResponse => {
    try {
      return withRequestId(pages.interstitial(link, to, popup, request))
    } catch (error) {
      log.error({ err: error, popup: popup.id }, 'a popup could not be rendered')
      return redirectOf(link, to, 302)
    }
  }

  const pageOf = (
    decision: Exclude<LinkDecision, { do: 'redirect' | 'interstitial' }>,
    request: IncomingMessage,
  ): { verdict: ClickVerdict; response: VisitResponse } => {
    const { link } = decision
    switch (decision.do) {
      case 'not-yet':
      case 'ended': {
        const isOver = decision.do === 'ended'
        const { to } = decision
        const response =
          to === undefined
            ? linkPages.closed(link, isOver, request)
            : redirectTo(to, redirectSite(link.site, config))
        return { verdict: isOver ? 'ended' : 'not_yet', response }
      }
      case 'password':
        return { verdict: 'password', response: linkPages.password(link, request.url ?? '') }
      case 'preview-page':
        return {
          verdict: 'preview_page',
          response: linkPages.preview(link, decision.to, request),
        }
      case 'preview':
        return { verdict: 'preview_page', response: linkPages.previewer(link, request) }
      case 'no-preview-page':
        return { verdict: 'preview_page', response: pages.notFound(request, link.site) }
    }
  }

  return (decision: LinkDecision, request: IncomingMessage, sink: ResponseSink): void => {
    const { link } = decision
    const visitor = visitorOf(request)
    if (decision.do === 'redirect' || decision.do === 'interstitial') {
      if (visitor.verdict === 'counted') tally.accept(link)
      const response =
        decision.do === 'redirect'
          ? redirectOf(link, decision.to, decision.status)
          : interstitial(link, decision.to, decision.popup, request)
      return clicks.record(link, withRule(visitor, decision.chosen), sink, response)
    }
    const { verdict, response } = pageOf(decision, request)
    // Of a bot or a prefetch, the page is that of a bot or a prefetch.
    const recorded = visitor.verdict === 'counted' ? { ...visitor, verdict } : visitor
    clicks.record(link, recorded, sink, withRequestId(response))
  }
}
