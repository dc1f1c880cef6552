import type { utmFields } from '#domain/reports/hits.ts'
import { Field } from '#web/ui/fields/field.tsx'

type UtmName = (typeof utmFields)[number]

interface UtmFieldsProps {
  utm: Readonly<Record<UtmName, string>>
  maxLength?: number
  onChange: (change: Partial<Record<UtmName, string>>) => void
}

const fields: readonly (readonly [name: UtmName, label: string, example: string])[] = [
  ['utm_source', 'Source', 'newsletter'],
  ['utm_medium', 'Medium', 'email'],
  ['utm_campaign', 'Campaign', 'spring sale'],
  ['utm_term', 'Term', 'running shoes'],
  ['utm_content', 'Content', 'top button'],
]

/** The UTM parameters of a campaign. */
export function UtmFields({ utm, maxLength, onChange }: UtmFieldsProps) {
  return (
    <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2">
      {fields.map(([name, label, example]) => (
        <Field
          key={name}
          label={label}
          name={name}
          kind="verbatim"
          placeholder={example}
          maxLength={maxLength}
          value={utm[name]}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      ))}
    </div>
  )
}
