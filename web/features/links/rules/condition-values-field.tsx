import type { ConditionValue, RuleFact } from '#domain/visits/condition-values.ts'
import { countryCodes } from '#domain/visits/rule-values.ts'
import { countryName, languageName } from '#web/ui/code-names.ts'
import { Field, FieldError } from '#web/ui/fields/field.tsx'
import { ToggleButton } from '#web/ui/fields/toggle-button.tsx'
import { ruleValueName, valueNames } from './rule-words.ts'
import { localTimeOf, zoneHint } from '#web/ui/local-time.ts'
import type { DraftCondition } from './rules-draft.ts'
import { ValuesField } from './values-field.tsx'

interface ConditionValuesFieldProps {
  condition: DraftCondition
  path: string
  error: string | undefined
  onChange: (values: readonly ConditionValue[]) => void
}

/** Input for the values of a condition, by its fact. */
export function ConditionValuesField(props: ConditionValuesFieldProps) {
  const { condition, path, error, onChange } = props
  const { fact, values } = condition
  if (fact === 'first_visit')
    return <p className="text-sm text-ink-faint">{factHints.first_visit}</p>
  if (fact === 'before' || fact === 'after')
    return (
      <Field
        label="Time"
        type="datetime-local"
        max="9999-12-31T23:59"
        hint={zoneHint()}
        data-path={path}
        error={error}
        value={localTimeOf(values[0] === undefined ? null : String(values[0]))}
        onChange={({ target: { value } }) =>
          onChange(value === '' ? [] : [new Date(value).toISOString()])
        }
      />
    )
  if (fact === 'share')
    return (
      <Field
        label="Percent"
        type="number"
        inputMode="numeric"
        min={1}
        max={99}
        hint={factHints.share}
        data-path={path}
        error={error}
        value={values[0] === undefined ? '' : String(values[0])}
        onChange={({ target: { value } }) => onChange(value === '' ? [] : [Number(value)])}
      />
    )
  if (fact === 'query')
    return (
      <>
        <ValueToggles {...props} names={{ present: 'Present', empty: 'Empty' }} />
        <ValuesOf {...props} />
      </>
    )
  const names = valueNames[fact]
  return names === undefined ? <ValuesOf {...props} /> : <ValueToggles {...props} names={names} />
}

function ValuesOf({
  condition: { fact, values },
  path,
  error,
  onChange,
}: ConditionValuesFieldProps) {
  // Toggles show the others.
  const isTyped = (value: ConditionValue) =>
    fact !== 'query' || (value !== 'present' && value !== 'empty')
  return (
    <ValuesField
      label={fact === 'query' ? 'Exact values' : 'Values'}
      values={values.filter(isTyped)}
      nameOf={(value) => ruleValueName(fact, value)}
      read={(typed) => readTyped(fact, typed)}
      hasCommas={fact !== 'query'}
      suggestions={suggestionsOf(fact)}
      placeholder={placeholders[fact] ?? ''}
      hint={factHints[fact]}
      error={error}
      path={path}
      onChange={(typed) => onChange([...values.filter((value) => !isTyped(value)), ...typed])}
    />
  )
}

interface ValueTogglesProps extends ConditionValuesFieldProps {
  names: Readonly<Record<string, string>>
}

function ValueToggles({ condition, path, error, onChange, names }: ValueTogglesProps) {
  const { fact, values } = condition
  const id = `${condition.key}-problem`
  return (
    <div className="grid gap-1.5">
      <fieldset
        aria-describedby={error === undefined ? undefined : id}
        tabIndex={-1}
        data-path={path}
        className="flex flex-wrap gap-1.5"
      >
        <legend className="sr-only">Values</legend>
        {Object.entries(names).map(([value, name]) => (
          <ToggleButton
            key={value}
            isOn={values.includes(value)}
            onPress={() =>
              onChange(
                values.includes(value)
                  ? values.filter((other) => other !== value)
                  : [...values, value],
              )
            }
          >
            {name.slice(0, 1).toUpperCase() + name.slice(1)}
          </ToggleButton>
        ))}
      </fieldset>
      {fact === 'query' || factHints[fact] === undefined ? null : (
        <p className="text-sm text-ink-faint">{factHints[fact]}</p>
      )}
      {fact === 'query' ? null : <FieldError id={id} error={error} />}
    </div>
  )
}

/** One short sentence where a fact needs one. */
const factHints: Partial<Readonly<Record<RuleFact, string>>> = {
  system: 'iPads report macOS.',
  device: 'iPads report a desktop computer.',
  region: 'English names, without regard to case.',
  city: 'English names, without regard to case.',
  first_visit: 'The visitor’s first visit to this link today (UTC).',
  share: 'A visitor stays inside or outside for a day.',
  address: 'Addresses are compared, and never stored.',
  hours: 'The end is not included.',
}

const placeholders: Partial<Readonly<Record<RuleFact, string>>> = {
  country: 'Germany',
  region: 'Bavaria',
  city: 'Berlin',
  language: 'German',
  hours: '09:00-17:00',
  address: '192.0.2.0/24',
  query: 'mail',
}

const languageTags =
  'ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl pl pt ro ru sk sl sr sv th tr uk ur vi zh'.split(
    ' ',
  )

/** Codes by their names in lower case. */
const codesByName = (codes: Iterable<string>, nameOf: (code: string) => string) =>
  new Map([...codes].map((code) => [nameOf(code).toLowerCase(), code]))
const countriesByName = codesByName(countryCodes, countryName)
const languagesByName = codesByName(languageTags, languageName)

const countryNames = [...countryCodes].map(countryName).toSorted()
const languageNames = languageTags.map(languageName).toSorted()

function suggestionsOf(fact: RuleFact): readonly string[] | undefined {
  return fact === 'country' ? countryNames : fact === 'language' ? languageNames : undefined
}

function readTyped(fact: RuleFact, typed: string): string {
  const name = typed.toLowerCase()
  if (fact === 'country') return countriesByName.get(name) ?? typed.toUpperCase()
  if (fact === 'language') return languagesByName.get(name) ?? typed
  return fact === 'query' ? `=${typed}` : typed
}
