import {
  countryCodes,
  ruleApps,
  ruleBrowsers,
  ruleDevices,
  ruleSystems,
} from '#domain/visits/rule-values.ts'
import { countryName } from '#web/ui/code-names.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { Switch } from '#web/ui/fields/switch.tsx'
import { zoneHint } from '#web/ui/local-time.ts'
import type { VisitDraft } from './visit-draft.ts'

const unknown = { value: '', label: 'Not known' } as const

function choicesOf<Value extends string>(names: Readonly<Record<Value, string>>) {
  return [
    unknown,
    ...Object.entries<string>(names).map(([value, name]) => ({
      value: value as Value,
      label: name.slice(0, 1).toUpperCase() + name.slice(1),
    })),
  ]
}

const choices = {
  system: choicesOf({ ...ruleSystems, other: 'Another one' }),
  device: choicesOf({ ...ruleDevices, other: 'Another one' }),
  browser: choicesOf({ ...ruleBrowsers, other: 'Another one' }),
  in_app: choicesOf({ none: 'No app', ...ruleApps, other: 'Another app' }),
  country: [
    unknown,
    ...[...countryCodes]
      .map((value) => ({ value, label: countryName(value) }))
      .toSorted((a, b) => a.label.localeCompare(b.label)),
  ],
  source: [
    { value: 'link', label: 'Link' },
    { value: 'qr', label: 'QR code' },
  ],
  firstVisit: [unknown, { value: 'yes', label: 'Yes' }, { value: 'no', label: 'No' }],
} as const

interface VisitFieldsProps {
  draft: VisitDraft
  hasPassword: boolean
  onChange: (change: Partial<VisitDraft>) => void
}

/** The facts of a simulated visit. */
export function VisitFields({ draft, hasPassword, onChange }: VisitFieldsProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2">
      <ChosenFact label="Country" name="country" {...{ draft, onChange }} />
      <TextFact label="City" name="city" placeholder="Berlin" {...{ draft, onChange }} />
      <TextFact label="Languages" name="languages" placeholder="de-AT" {...{ draft, onChange }} />
      <Field
        label="Time"
        name="at"
        type="datetime-local"
        max="9999-12-31T23:59"
        hint={zoneHint()}
        value={draft.at}
        onChange={({ target }) => onChange({ at: target.value })}
      />
      <ChosenFact label="System" name="system" {...{ draft, onChange }} />
      <ChosenFact label="Device" name="device" {...{ draft, onChange }} />
      <ChosenFact label="Browser" name="browser" {...{ draft, onChange }} />
      <ChosenFact label="App" name="in_app" {...{ draft, onChange }} />
      <ChosenFact label="Source" name="source" {...{ draft, onChange }} />
      <ChosenFact label="First visit" name="firstVisit" {...{ draft, onChange }} />
      <TextFact label="Query" name="query" placeholder="ref=mail" {...{ draft, onChange }} />
      {hasPassword ? (
        <Switch
          label="Password given"
          checked={draft.password}
          onChange={(password) => onChange({ password })}
        />
      ) : null}
    </div>
  )
}

interface FactProps<Name extends keyof VisitDraft> extends Omit<VisitFieldsProps, 'hasPassword'> {
  label: string
  name: Name
}

function ChosenFact({ label, name, draft, onChange }: FactProps<keyof typeof choices>) {
  return (
    <SelectField<string>
      label={label}
      name={name}
      options={choices[name]}
      value={draft[name]}
      onChange={(value) => onChange({ [name]: value })}
    />
  )
}

interface TextFactProps extends FactProps<'city' | 'languages' | 'query'> {
  placeholder: string
}

function TextFact({ label, name, placeholder, draft, onChange }: TextFactProps) {
  return (
    <Field
      label={label}
      name={name}
      kind="verbatim"
      placeholder={placeholder}
      value={draft[name]}
      onChange={({ target }) => onChange({ [name]: target.value })}
    />
  )
}
