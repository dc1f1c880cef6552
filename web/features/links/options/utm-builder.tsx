import { Field } from '#web/ui/fields/field.tsx'
import { UtmTemplates } from './utm-templates.tsx'
import { utmNames, utmOf, withUtm } from './utm.ts'

interface UtmBuilderProps {
  userId: string
  destination: string
  onChange: (destination: string) => void
}

const labels = {
  utm_source: ['Source', 'newsletter'],
  utm_medium: ['Medium', 'email'],
  utm_campaign: ['Campaign', 'spring sale'],
  utm_term: ['Term', 'running shoes'],
  utm_content: ['Content', 'top button'],
} as const

/** The UTM parameters of the destination as fields. The destination is their only place. */
export function UtmBuilder({ userId, destination, onChange }: UtmBuilderProps) {
  const utm = utmOf(destination)
  const isEmpty = destination.trim() === ''
  return (
    <>
      <p className="-mt-2 text-sm text-ink-faint">
        {isEmpty ? 'Please enter the destination first.' : 'These become part of the destination.'}
      </p>
      <UtmTemplates
        {...{ userId, utm, isEmpty }}
        onApply={(template) => onChange(withUtm(destination, template))}
      />
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
              disabled={isEmpty}
              value={utm[name]}
              onChange={({ target }) => onChange(withUtm(destination, { [name]: target.value }))}
            />
          )
        })}
      </div>
    </>
  )
}
