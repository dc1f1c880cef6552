import { type DecidedLink, decideLink, type LinkOutcome } from './decide-link.ts'
import { explainRule } from './explain-rule.ts'
import { parseInstant } from './rule-values.ts'
import {
  factsOfSimulatedVisit,
  type NamedSoftware,
  type SimulatedVisit,
} from './simulated-visit.ts'
import { VisitReading } from './reading/visit-reading.ts'

/** A rule before the one that decides, with the reason why it does not hold. */
export interface SkippedRule {
  readonly id: string
  /** Index in the list of rules, and of the condition in the rule. */
  readonly rule: number
  readonly condition: number
  readonly why: string
}

interface Simulation {
  readonly outcome: LinkOutcome
  /** Empty where the decision asks for no rules. */
  readonly skipped: readonly SkippedRule[]
}

interface SimulationContext {
  /** Epoch milliseconds of a visit without `at`. */
  now: number
  /** Clicks of the link so far. */
  clicks: number
  /** Software by the visit's `user_agent`. */
  named?: NamedSoftware | undefined
}

/** Decides a simulated visit like a real one. */
export function decideSimulatedVisit(
  link: DecidedLink,
  visit: SimulatedVisit,
  context: SimulationContext,
): LinkOutcome {
  return decide(link, visit, context).outcome
}

/** The same with the reasons. */
export function simulateVisit(
  link: DecidedLink,
  visit: SimulatedVisit,
  context: SimulationContext,
): Simulation {
  const { outcome, reading } = decide(link, visit, context)
  const rules = reading ? (link.options?.ruling?.rules ?? []) : []
  const skipped: SkippedRule[] = []
  for (const [index, rule] of rules.entries()) {
    const failed = reading && explainRule(rule, reading)
    if (!failed) break
    skipped.push({ id: rule.id, rule: index, ...failed })
  }
  return { outcome, skipped }
}

/** @returns the reading of the visit besides, if rules decide */
function decide(
  link: DecidedLink,
  visit: SimulatedVisit,
  { now, clicks, named }: SimulationContext,
): { outcome: LinkOutcome; reading: VisitReading | undefined } {
  const at = (visit.at === undefined ? undefined : parseInstant(visit.at)) ?? now
  let reading: VisitReading | undefined
  const outcome = decideLink(
    link,
    {
      wantsPreviewPage: false,
      query: visit.query ?? '',
      isPreviewer: () => visit.previewer === true,
      hasGivenPassword: () => visit.password === true,
      clicks: () => clicks,
      facts() {
        const facts = factsOfSimulatedVisit(visit, named)
        reading = new VisitReading(facts, at)
        return facts
      },
    },
    at,
  )
  return { outcome, reading }
}
