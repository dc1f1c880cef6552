import {
  countryCodes,
  ruleApps,
  ruleBrowsers,
  ruleDevices,
  ruleSystems,
} from '#domain/visits/rule-values.ts'
import { countryName } from '#web/ui/code-names.ts'
import { Field } from '#web/ui/field.tsx'
import { SelectField } from '#web/ui/select-field.tsx'
import { Switch } from '#web/ui/switch.tsx'
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
      <SelectField
        label="Country"
        name="country"
        options={choices.country}
        value={draft.country}
        onChange={(country) => onChange({ country })}
      />
      <TextFact label="City" name="city" placeholder="Berlin" {...{ draft, onChange }} />
      <TextFact label="Languages" name="languages" placeholder="de-AT" {...{ draft, onChange }} />
      <Field
        label="Time"
        name="at"
        type="datetime-local"
        max="9999-12-31T23:59"
        value={draft.at}
        onChange={({ target }) => onChange({ at: target.value })}
      />
      <SelectField
        label="System"
        name="system"
        options={choices.system}
        value={draft.system}
        onChange={(system) => onChange({ system })}
      />
      <SelectField
        label="Device"
        name="device"
        options={choices.device}
        value={draft.device}
        onChange={(device) => onChange({ device })}
      />
      <SelectField
        label="Browser"
        name="browser"
        options={choices.browser}
        value={draft.browser}
        onChange={(browser) => onChange({ browser })}
      />
      <SelectField
        label="App"
        name="in_app"
        options={choices.in_app}
        value={draft.in_app}
        onChange={(in_app) => onChange({ in_app })}
      />
      <SelectField
        label="Source"
        name="source"
        options={choices.source}
        value={draft.source}
        onChange={(source) => onChange({ source })}
      />
      <SelectField
        label="First visit"
        name="firstVisit"
        options={choices.firstVisit}
        value={draft.firstVisit}
        onChange={(firstVisit) => onChange({ firstVisit })}
      />
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

interface TextFactProps {
  label: string
  name: 'city' | 'languages' | 'query'
  placeholder: string
  draft: VisitDraft
  onChange: (change: Partial<VisitDraft>) => void
}

function TextFact({ label, name, placeholder, draft, onChange }: TextFactProps) {
  return (
    <Field
      label={label}
      name={name}
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      placeholder={placeholder}
      value={draft[name]}
      onChange={({ target }) => onChange({ [name]: target.value })}
    />
  )
}
