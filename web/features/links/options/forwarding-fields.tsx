import { Field } from '#web/ui/field.tsx'
import { SelectField } from '#web/ui/select-field.tsx'
import { fieldsOf } from '#web/use-form-fields.ts'
import type { OptionFields } from './options-draft.ts'

const forwardings = [
  { value: 'none', label: 'None' },
  { value: 'all', label: 'All parameters' },
  { value: 'named', label: 'Named parameters' },
] as const
const precedences = [
  { value: 'destination', label: 'The destination’s value' },
  { value: 'visit', label: 'The visit’s value' },
] as const

/** Which query parameters of a visit go on to the destination. */
export function ForwardingFields({ values, change, errorOf }: OptionFields) {
  const { field, text } = fieldsOf(values, change, errorOf)
  return (
    <>
      <SelectField label="Query forwarding" options={forwardings} {...field('forwarding')} />
      {values.forwarding === 'named' ? (
        <Field
          label="Parameter names"
          kind="verbatim"
          placeholder="utm_source,ref"
          {...text('forwardNames')}
        />
      ) : null}
      {values.forwarding === 'none' ? null : (
        <SelectField
          label="Duplicate parameters"
          name="forwardOverrides"
          options={precedences}
          value={values.forwardOverrides ? 'visit' : 'destination'}
          onChange={(winner) => change({ forwardOverrides: winner === 'visit' })}
        />
      )}
    </>
  )
}
