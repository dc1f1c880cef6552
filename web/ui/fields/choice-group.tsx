import type { ReactNode } from 'react'

interface ChoiceGroupProps<Value extends string> {
  legend: string
  /** Name of the form's value. */
  name: string
  values: readonly Value[]
  wordsOf: (value: Value) => ReactNode
  value: readonly Value[]
  onChange: (value: readonly Value[]) => void
  error: string | undefined
  /** Below the boxes. */
  note?: ReactNode
}

/** Any of some values that programs know too, each a checkbox with words and the value itself. */
export function ChoiceGroup<Value extends string>(props: ChoiceGroupProps<Value>) {
  const { legend, name, values, wordsOf, value: chosen, onChange, error, note } = props
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1.5 text-sm font-medium">{legend}</legend>
      {values.map((value, index) => (
        <label key={value} className="flex min-h-11 cursor-pointer items-center gap-3">
          <input
            type="checkbox"
            // An error moves the focus to the one element with its name.
            name={index === 0 ? name : undefined}
            value={value}
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(
                target.checked ? [...chosen, value] : chosen.filter((each) => each !== value),
              )
            }
            className="size-5 shrink-0 accent-ink"
          />
          <span className="min-w-0">
            {wordsOf(value)}
            <code className="block font-mono text-xs text-ink-faint">{value}</code>
          </span>
        </label>
      ))}
      {note}
      {error === undefined ? null : (
        <p role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  )
}
