import { type ChangeEvent, useState } from 'react'
import { type FormOptions, useForm } from '#web/use-form.ts'

interface FormFieldsOptions<Values, Output> extends Omit<FormOptions<Output>, 'values'> {
  initial: Values
}

/**
 * A form that keeps the values of its fields.
 *
 * @example
 * const form = useFormFields({ schema: emailForm, initial: { email: '' }, submit: async ({ email }) => { … } })
 * <form {...form.props}><Field label="Email" {...form.text('email')} /></form>
 */
export function useFormFields<Values extends Readonly<Record<string, unknown>>, Output>({
  initial,
  ...options
}: FormFieldsOptions<Values, Output>) {
  const [values, setValues] = useState(initial)
  const form = useForm({ ...options, values })
  const change = (changed: Partial<Values>) => setValues((now) => ({ ...now, ...changed }))

  /** The props of a field whose `onChange` gets the value. */
  function field<Name extends keyof Values & string>(name: Name) {
    const onChange = (value: Values[Name]) => setValues((now) => ({ ...now, [name]: value }))
    return { name, value: values[name], onChange, error: form.errorOf(name) }
  }
  /** The props of a field whose `onChange` gets the event. */
  function text<Name extends keyof Values & string>(name: Name) {
    const onChange = ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      setValues((now) => ({ ...now, [name]: target.value }))
    return { ...field(name), onChange }
  }
  return { ...form, values, change, field, text }
}
