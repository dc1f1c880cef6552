import { X } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import type { ConditionValue } from '#domain/visits/condition-values.ts'
import { Field } from '#web/ui/fields/field.tsx'

interface ValuesFieldProps {
  label: string
  values: readonly ConditionValue[]
  nameOf: (value: ConditionValue) => string
  /** The value of a typed text. */
  read: (typed: string) => string
  /** A comma ends a value. */
  hasCommas: boolean
  /** Offered while typing. */
  suggestions: readonly string[] | undefined
  placeholder: string
  hint?: string | undefined
  error: string | undefined
  path: string
  onChange: (values: readonly ConditionValue[]) => void
}

/** A list of typed values: Enter, a comma or leaving the field adds the text as one, Backspace removes the last. */
export function ValuesField(props: ValuesFieldProps) {
  const { label, values, nameOf, read, hasCommas, suggestions, placeholder, path, onChange } = props
  const id = useId()
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)

  function add(typed: string) {
    setText('')
    const added = (hasCommas ? typed.split(',') : [typed])
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(read)
    if (added.length > 0) onChange([...new Set([...values, ...added])])
  }

  return (
    <div className="grid min-w-0 gap-1.5">
      <Field
        ref={input}
        label={label}
        kind="verbatim"
        list={suggestions === undefined ? undefined : id}
        placeholder={placeholder}
        hint={props.hint}
        error={props.error}
        data-path={path}
        value={text}
        onChange={({ target: { value }, nativeEvent }) => {
          // A chosen suggestion is not typed text.
          const isChosen =
            !(nativeEvent instanceof InputEvent) ||
            nativeEvent.inputType === 'insertReplacementText'
          if ((hasCommas && value.includes(',')) || (isChosen && value !== '')) add(value)
          else setText(value)
        }}
        onBlur={() => add(text)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter' && text.trim() !== '') {
            event.preventDefault()
            add(text)
          } else if (event.key === 'Backspace' && text === '') onChange(values.slice(0, -1))
        }}
      />
      {suggestions === undefined ? null : (
        <datalist id={id}>
          {suggestions.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </datalist>
      )}
      {values.length === 0 ? null : (
        <ul aria-label={`${label}, chosen`} className="flex flex-wrap gap-1.5">
          {values.map((value) => (
            <li
              key={String(value)}
              className="inline-flex min-h-8 max-w-full items-center gap-1 rounded-full bg-sunken pl-3 text-sm"
            >
              <span className="truncate">{nameOf(value)}</span>
              <button
                type="button"
                aria-label={`Remove ${nameOf(value)}`}
                onClick={() => {
                  onChange(values.filter((other) => other !== value))
                  input.current?.focus()
                }}
                className="grid size-8 shrink-0 place-items-center rounded-full text-ink-soft hover:text-ink pointer-coarse:size-11"
              >
                <X size={13} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
