import { readableUrl } from '#domain/readable-url.ts'
import type { LinkRow } from '#web/database.ts'
import { SelectField } from '#web/ui/select-field.tsx'
import type { RuleProblems } from './rule-problems.ts'
import type { RulesDraft } from './rules-draft.ts'
import { SplitFields } from './target-fields.tsx'

const elseTargets = [
  { value: 'destination', label: 'The destination' },
  { value: 'split', label: 'A/B split' },
] as const

interface EveryoneElseProps {
  link: LinkRow
  draft: RulesDraft
  problems: RuleProblems
  change: (changed: Partial<RulesDraft>) => void
}

/** The last entry of the rules: the destination of the link, or a split. */
export function EveryoneElse({ link, draft, problems, change }: EveryoneElseProps) {
  return (
    <fieldset className="grid min-w-0 gap-3 rounded-2xl border border-line bg-paper p-4">
      <legend className="sr-only">Everyone else</legend>
      <h3 aria-hidden className="font-medium">
        Everyone else
      </h3>
      <SelectField
        label="Target"
        name="else"
        options={elseTargets}
        value={draft.isElseSplit ? 'split' : 'destination'}
        onChange={(target) => change({ isElseSplit: target === 'split' })}
      />
      {draft.isElseSplit ? (
        <SplitFields
          variants={draft.elseSplit}
          path={`${draft.rules.length}.split`}
          problems={problems}
          destination={link.original_url}
          onChange={(elseSplit) => change({ elseSplit })}
        />
      ) : (
        <p className="text-sm text-ink-soft wrap-anywhere">{readableUrl(link.original_url)}</p>
      )}
    </fieldset>
  )
}
