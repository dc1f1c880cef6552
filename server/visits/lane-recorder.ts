import { decideLink } from '#domain/visits/decide-link.ts'
import type { PublicSite } from '../http/security-headers.ts'
import type { ClickRecorder } from './click-recorder.ts'
import type { LaneConnection } from './fast-lane.ts'
import type { LinkEntry } from './name-entry.ts'
import { redirectTo, type VisitResponse } from './responses.ts'
import { rawQueryOf, type ReadRuleFacts } from './rule-facts.ts'
import type { SimpleVisit } from './simple-visit.ts'
import type { Visitor } from './visitor-facts.ts'
import type { ReadVisitor, VisitRequest } from './visitor.ts'

interface LaneRecorderDeps {
  config: PublicSite
  clicks: Pick<ClickRecorder, 'record'>
  visitorOf: ReadVisitor
  factsOf: ReadRuleFacts
}

/** Records a visit in the fast lane, with the redirect of its link: the prepared one, or that of the rule which holds. */
export function createLaneRecorder({ config, clicks, visitorOf, factsOf }: LaneRecorderDeps) {
  const redirectOf = (link: LinkEntry, request: VisitRequest, visitor: Visitor): VisitResponse => {
    const { destination, options } = link
    if (!options?.ruling) return link.redirect
    const outcome = decideLink(
      { state: 'on', destination, hasPopup: false, options },
      {
        wantsPreviewPage: false,
        query: rawQueryOf(request.url),
        facts: () => factsOf(request, link, visitor),
        ...nothingElse,
      },
      Date.now(),
    )
    const isOther = outcome.do === 'redirect' && outcome.to !== destination
    return isOther ? redirectTo(outcome.to, config) : link.redirect
  }
  return (link: LinkEntry, { method, url, rawHeaders }: SimpleVisit, lane: LaneConnection) => {
    const request = { method, url, rawHeaders, socket: lane.socket }
    const visitor = visitorOf(request)
    clicks.record(link, visitor, lane, redirectOf(link, request, visitor))
  }
}

/** The links of the fast lane have no option that asks for these. */
const nothingElse = { isPreviewer: () => false, hasGivenPassword: () => false, clicks: () => 0 }
