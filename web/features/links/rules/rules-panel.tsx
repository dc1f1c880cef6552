import { useLayoutEffect, useRef } from 'react'
import { parseRules } from '#domain/visits/parse-rules.ts'
import type { LinkRules } from '#domain/visits/rules.ts'
import type { RuleProblem } from '#domain/visits/rules-reader.ts'
import { randomUuid } from '#web/random-uuid.ts'
import { site } from '#web/site.ts'
import { focusOnProblem, problemsByPath } from './rule-problems.ts'
import { draftOf, rulesOfDraft, type RulesDraft } from './rules-draft.ts'
import { RulesFields } from './rules-fields.tsx'

/** The rules of a link that does not exist yet. */
export interface EnteredRules {
  draft: RulesDraft
  /** Found by the last try to make the link. */
  problems: readonly RuleProblem[]
  /** Checks them. It comes with the rules, because its script is loaded for them only. */
  read: typeof readRules
}

interface RulesPanelProps {
  /** Undefined until something was entered. */
  entered: EnteredRules | undefined
  onChange: (entered: EnteredRules) => void
  zone: string
  destination: string
}

/** The rules of a new link. */
export function RulesPanel({ entered, onChange, zone, destination }: RulesPanelProps) {
  const block = useRef<HTMLDivElement>(null)
  const problems = entered?.problems ?? noProblems
  useLayoutEffect(() => focusOnProblem(block.current, problems), [problems])
  const draft = entered?.draft ?? draftOf([], zone)
  return (
    <div ref={block} className="grid min-w-0 gap-4">
      <RulesFields
        draft={draft}
        problems={problemsByPath(problems)}
        {...{ zone, destination }}
        change={(changed) =>
          onChange({ draft: { ...draft, ...changed }, problems: noProblems, read: readRules })
        }
      />
    </div>
  )
}

const noProblems: readonly RuleProblem[] = []

/** The rules of another link, for a new one: without their ids. */
export function enteredRulesLike(rules: LinkRules, zone: string): EnteredRules {
  const draft = draftOf(rules, zone)
  const withoutId = <Entry extends object>(entry: Entry) => ({ ...entry, id: undefined })
  return {
    draft: {
      ...draft,
      elseId: undefined,
      elseSplit: draft.elseSplit.map(withoutId),
      rules: draft.rules.map((rule) => ({
        ...withoutId(rule),
        split: rule.split.map(withoutId),
      })),
    },
    problems: noProblems,
    read: readRules,
  }
}

function readRules(draft: RulesDraft, destination: string) {
  return parseRules(rulesOfDraft(draft), {
    ownHosts: site.ownHosts,
    destination,
    newId: randomUuid,
  })
}
