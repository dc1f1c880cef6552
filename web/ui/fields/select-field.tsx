import { useId } from 'react'
import { FieldError, inputClass } from './field.tsx'

interface SelectOption<Value extends string> {
  readonly value: Value
  readonly label: string
  /** Its heading in the list, which it shares with its neighbors. */
  readonly group?: string
}

interface SelectFieldProps<Value extends string> {
  label: string
  /** Only for assistive technology: on the screen the field speaks for itself. */
  hideLabel?: boolean
  name?: string | undefined
  options: readonly SelectOption<Value>[]
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
        {groupsOf(options).map(([group, members]) =>
          group === undefined ? (
            members.map(optionOf)
          ) : (
            <optgroup key={group} label={group}>
              {members.map(optionOf)}
            </optgroup>
          ),
        )}
      </select>
      <FieldError id={`${id}-error`} error={error} />
    </div>
  )
}

function optionOf({ value, label }: SelectOption<string>) {
  return (
    <option key={value} value={value}>
      {label}
    </option>
  )
}

/** Options by their groups, in the order of the options. */
function groupsOf(options: readonly SelectOption<string>[]) {
  const groups = new Map<string | undefined, SelectOption<string>[]>()
  for (const option of options)
    groups.set(option.group, [...(groups.get(option.group) ?? []), option])
  return [...groups]
}
