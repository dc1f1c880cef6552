import { useState } from 'react'
import { type FormOptions, useForm } from '#web/forms/use-form.ts'

interface FormFieldsOptions<Values, Output> extends Omit<FormOptions<Output>, 'values'> {
  /** A field that is untouched follows it. Lists in it are compared by identity. */
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
  const [before, setBefore] = useState(initial)
  const changed = Object.keys(initial).filter((name) => initial[name] !== before[name])
  if (changed.length > 0) {
    const untouched = changed.filter((name) => values[name] === before[name])
    setBefore(initial)
    setValues((now) => ({
      ...now,
      ...Object.fromEntries(untouched.map((name) => [name, initial[name]])),
    }))
  }
  const form = useForm({ ...options, values })
  const change = (changed: Partial<Values>) => setValues((now) => ({ ...now, ...changed }))
  return { ...form, values, change, ...fieldsOf(values, change, form.errorOf) }
}

/** The props of fields by their names, for values that are kept elsewhere. */
export function fieldsOf<Values extends object>(
  values: Values,
  change: (changed: Partial<Values>) => void,
  errorOf: (name: keyof Values & string) => string | undefined,
) {
  const set = (name: keyof Values, value: unknown) => change({ [name]: value } as Partial<Values>)
  return {
    /** For a field that reports its value. */
    field: <Name extends keyof Values & string>(name: Name) => ({
      name,
      value: values[name],
      onChange: (value: Values[Name]) => set(name, value),
      error: errorOf(name),
    }),
    /** For a field that reports the event. */
    text: <Name extends keyof Values & string>(name: Name) => ({
      name,
      value: values[name],
      onChange: ({ target }: { target: { value: string } }) => set(name, target.value),
      error: errorOf(name),
    }),
  }
}
