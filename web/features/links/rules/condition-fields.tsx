import { X } from 'lucide-react'
import { factValues, isRuleFact } from '#domain/visits/condition-values.ts'
import { IconButton } from '#web/ui/button.tsx'
import { Field, FieldError } from '#web/ui/fields/field.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { ConditionValuesField } from './condition-values-field.tsx'
import { ruleFactNames } from './rule-words.ts'
import { type DraftCondition, newCondition } from './rules-draft.ts'
import type { RuleProblems } from './rule-problems.ts'

const facts = Object.entries(ruleFactNames).flatMap(([value, label]) =>
  isRuleFact(value) ? { value, label } : [],
)

const lists = [
  { value: 'is', label: 'is' },
  { value: 'is_not', label: 'is not' },
] as const

interface ConditionFieldsProps {
  condition: DraftCondition
  /** In the rules: `0.when.1`. */
  path: string
  /** Begins the names of its fields: "Condition 2". */
  name: string
  problems: RuleProblems
  onChange: (condition: DraftCondition) => void
  /** Absent for the only condition. */
  onRemove: (() => void) | undefined
}

/** One condition: fact, is or is not, values. */
export function ConditionFields(props: ConditionFieldsProps) {
  const { condition, path, name, problems, onChange, onRemove } = props
  const { fact, list, zone } = condition
  const { needs } = factValues(fact)
  const namePath = `${path}.name`
  return (
    <fieldset className="grid min-w-0 gap-3 rounded-xl border border-line p-3">
      <legend className="sr-only">{name}</legend>
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-2 sm:grid-cols-[minmax(0,1fr)_7rem_auto]">
        <div className="min-w-0 max-sm:col-span-2">
          <SelectField
            label="If"
            name={`${path}.fact`}
            options={facts}
            value={fact}
            onChange={(chosen) => {
              const fresh = newCondition(chosen, zone)
              onChange({ ...fresh, key: condition.key, list })
            }}
          />
        </div>
        <SelectField
          label="Match"
          hideLabel
          name={`${path}.list`}
          options={lists}
          value={list}
          onChange={(chosen) => onChange({ ...condition, list: chosen })}
        />
        {onRemove === undefined ? null : (
          <IconButton label={`Remove ${name.toLowerCase()}`} onClick={onRemove}>
            <X size={17} aria-hidden />
          </IconButton>
        )}
      </div>
      <FieldError id={`${condition.key}-problem-of-all`} error={problems.at(path)} />
      {needs === 'name' ? (
        <Field
          label="Parameter name"
          kind="verbatim"
          placeholder="ref"
          data-path={namePath}
          value={condition.name}
          onChange={({ target }) => onChange({ ...condition, name: target.value })}
          error={problems.at(namePath)}
        />
      ) : null}
      <ConditionValuesField
        condition={condition}
        path={`${path}.${list}`}
        error={problems.within(`${path}.${list}`)}
        onChange={(values) => onChange({ ...condition, values })}
      />
      {needs === 'zone' ? (
        <SelectField
          label="Time zone"
          name={`${path}.zone`}
          data-path={`${path}.zone`}
          options={zonesWith(zone)}
          value={zone}
          error={problems.at(`${path}.zone`)}
          onChange={(chosen) => onChange({ ...condition, zone: chosen })}
        />
      ) : null}
    </fieldset>
  )
}

const zonesWith = (zone: string) =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', zone])]
    .toSorted()
    .map((value) => ({ value, label: value.replaceAll('_', ' ') }))
