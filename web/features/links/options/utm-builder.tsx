import { Field } from '#web/ui/fields/field.tsx'
import { UtmTemplates } from './utm-templates.tsx'
import { type Utm, utmNames } from './utm.ts'

interface UtmBuilderProps {
  userId: string
  utm: Utm
  onChange: (change: Partial<Utm>) => void
}

const labels = {
  utm_source: ['Source', 'newsletter'],
  utm_medium: ['Medium', 'email'],
  utm_campaign: ['Campaign', 'spring sale'],
  utm_term: ['Term', 'running shoes'],
  utm_content: ['Content', 'top button'],
} as const

/** The UTM parameters of a link as fields. They become part of its destination. */
export function UtmBuilder({ userId, utm, onChange }: UtmBuilderProps) {
  return (
    <>
      <UtmTemplates {...{ userId, utm }} onApply={onChange} />
      <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2">
        {utmNames.map((name) => {
          const [label, example] = labels[name]
          return (
            <Field
              key={name}
              label={label}
              name={name}
              kind="verbatim"
              placeholder={example}
              value={utm[name]}
              onChange={({ target }) => onChange({ [name]: target.value })}
            />
          )
        })}
      </div>
      <p className="-mt-2 text-sm text-ink-faint">These become part of the destination.</p>
    </>
  )
}
