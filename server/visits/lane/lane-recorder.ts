import { decideLink } from '#domain/visits/decide-link.ts'
import type { PublicSite } from '../../http/public-site.ts'
import type { ClickRecorder } from '../click-recorder.ts'
import type { LaneConnection } from './fast-lane.ts'
import type { LinkEntry } from '../names/name-entry.ts'
import { redirectSite, redirectTo, type VisitResponse } from '../responses.ts'
import { rawQueryOf, type ReadRuleFacts } from '../rules/rule-facts.ts'
import { withRule } from '../rules/with-rule.ts'
import type { SimpleVisit } from './simple-visit.ts'
import type { Visitor } from '../visitor/visitor-facts.ts'
import type { ReadVisitor, VisitRequest } from '../visitor/visitor.ts'

interface LaneRecorderDeps {
  config: PublicSite
  clicks: Pick<ClickRecorder, 'record'>
  visitorOf: ReadVisitor
  factsOf: ReadRuleFacts
}

/** A visit as it is recorded, and its response. */
interface Decided {
  visitor: Visitor
  response: VisitResponse
}

/** Records a visit in the fast lane, with the redirect of its link: the prepared one, or that of the rule which holds or of the placement. */
export function createLaneRecorder({ config, clicks, visitorOf, factsOf }: LaneRecorderDeps) {
  const decide = (link: LinkEntry, request: VisitRequest, visitor: Visitor): Decided => {
    const { destination, options, redirect } = link
    if (!options?.ruling && !options?.campaigns) return { visitor, response: redirect }
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
    if (outcome.do !== 'redirect') return { visitor, response: redirect }
    const { to, chosen } = outcome
    return {
      visitor: withRule(visitor, chosen),
      response: to === destination ? redirect : redirectTo(to, redirectSite(link.site, config)),
    }
  }
  return (link: LinkEntry, visit: SimpleVisit, lane: LaneConnection) => {
    const { visitor, response } = decide(link, visit, visitorOf(visit))
    clicks.record(link, visitor, lane, response)
  }
}

/** The links of the fast lane have no option that asks for these. */
const nothingElse = { isPreviewer: () => false, hasGivenPassword: () => false, clicks: () => 0 }
