import type { IncomingMessage } from 'node:http'
import type { LinkVisit } from '#domain/visits/decide-link.ts'
import { clientOf } from '../../analytics/hits/client-of.ts'
import type { ClickTally } from '../counting/click-tally.ts'
import { hasLinkCookie, type VisitorPasswords } from '../visitor-pages/link-cookie.ts'
import type { LinkEntry } from '../names/name-entry.ts'
import { rawQueryOf, type ReadRuleFacts } from './rule-facts.ts'
import type { ReadVisitor } from '../visitor/visitor.ts'

interface LinkVisitDeps {
  visitorOf: ReadVisitor
  tally: ClickTally
  passwords: VisitorPasswords
  factsOf: ReadRuleFacts
}

/** Reads a visit as the decision about a link sees it. */
export type ReadLinkVisit = ReturnType<typeof createLinkVisitReader>

export function createLinkVisitReader({ visitorOf, tally, passwords, factsOf }: LinkVisitDeps) {
  return (request: IncomingMessage, wantsPreviewPage: boolean) =>
    (link: LinkEntry): LinkVisit => ({
      wantsPreviewPage,
      query: rawQueryOf(request.url ?? ''),
      isPreviewer() {
        // Of HEAD too, which is answered as GET.
        const { isBot, userAgent } = visitorOf(request).browser
        const name = Buffer.from(userAgent).toString('latin1')
        return isBot && clientOf(name, 'bot', '').verdict === 'previewer'
      },
      hasGivenPassword: () => hasLinkCookie(link, request.headers.cookie, passwords),
      clicks: () => (link.options ? tally.clicksOf(link, link.options) : 0),
      facts: () => factsOf(request, link),
    })
}
