import { useId } from 'react'
import { FieldError, inputClass } from './field.tsx'

interface SelectFieldProps<Value extends string> {
  label: string
  /** Only for assistive technology: on the screen the field speaks for itself. */
  hideLabel?: boolean
  name?: string | undefined
  options: readonly { readonly value: Value; readonly label: string }[]
  value: Value
  onChange: (value: Value) => void
  error?: string | undefined
  /** Finds the field of a problem. */
  'data-path'?: string
}

export function SelectField<Value extends string>({
  label,
  hideLabel = false,
  name,
  options,
  value,
  onChange,
  error,
  'data-path': path,
}: SelectFieldProps<Value>) {
  const id = useId()
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-sm font-medium'}>
        {label}
      </label>
      <select
        id={id}
        name={name}
        data-path={path}
        value={value}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value)
          if (chosen !== undefined) onChange(chosen.value)
        }}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        className={inputClass}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <FieldError id={`${id}-error`} error={error} />
    </div>
  )
}
