import { type DecidedLink, decideLink, type LinkOutcome } from './decide-link.ts'
import { explainRule } from './explain-rule.ts'
import { parseInstant } from './rule-values.ts'
import {
  factsOfSimulatedVisit,
  type NamedSoftware,
  type SimulatedVisit,
} from './simulated-visit.ts'

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
export function simulateVisit(
  link: DecidedLink,
  visit: SimulatedVisit,
  { now, clicks, named }: SimulationContext,
): Simulation {
  const at = (visit.at === undefined ? undefined : parseInstant(visit.at)) ?? now
  const facts = factsOfSimulatedVisit(visit, named)
  let asksRules = false
  const outcome = decideLink(
    link,
    {
      wantsPreviewPage: false,
      query: visit.query ?? '',
      isPreviewer: () => visit.previewer === true,
      hasGivenPassword: () => visit.password === true,
      clicks: () => clicks,
      facts() {
        asksRules = true
        return facts
      },
    },
    at,
  )
  const skipped: SkippedRule[] = []
  for (const [index, rule] of (asksRules ? (link.options?.ruling?.rules ?? []) : []).entries()) {
    const failed = explainRule(rule, facts, at)
    if (!failed) break
    skipped.push({ id: rule.id, rule: index, ...failed })
  }
  return { outcome, skipped }
}
