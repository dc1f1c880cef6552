import type { ReactNode } from 'react'
import { ToggleButton } from '#web/ui/fields/toggle-button.tsx'

interface ChoiceRowProps<Value extends string> {
  label: string
  values: readonly Value[]
  value: Value
  wordsOf: (value: Value) => ReactNode
  onChange: (value: Value) => void
}

/** One of a few values, all in sight. */
export function ChoiceRow<Value extends string>(props: ChoiceRowProps<Value>) {
  const { label, values, value, wordsOf, onChange } = props
  return (
    <fieldset>
      <legend className="mb-2 text-sm font-medium">{label}</legend>
      <div className="flex flex-wrap gap-2">
        {values.map((each) => (
          <ToggleButton key={each} isOn={each === value} onPress={() => onChange(each)}>
            {wordsOf(each)}
          </ToggleButton>
        ))}
      </div>
    </fieldset>
  )
}
