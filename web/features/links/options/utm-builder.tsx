import { UtmFields } from '#web/forms/utm-fields.tsx'
import { UtmTemplates } from './utm-templates.tsx'
import type { Utm } from './utm.ts'

interface UtmBuilderProps {
  userId: string
  utm: Utm
  onChange: (change: Partial<Utm>) => void
}

/** The UTM parameters of a link as fields. They become part of its destination. */
export function UtmBuilder({ userId, utm, onChange }: UtmBuilderProps) {
  return (
    <>
      <UtmTemplates {...{ userId, utm }} onApply={onChange} />
      <UtmFields utm={utm} onChange={onChange} />
      <p className="-mt-2 text-sm text-ink-faint">These become part of the destination.</p>
    </>
  )
}
