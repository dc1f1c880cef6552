import { useId } from 'react'
import { normalHex } from '#domain/colors.ts'
import { FieldError, inputClass } from '#web/ui/field.tsx'

interface ColorFieldProps {
  label: string
  name: string
  value: string
  /** Color of the picker until the text is a color. */
  fallback: string
  error?: string | undefined
  onChange: (value: string) => void
}

/** A color by picker or by typing: the text box keeps its input, the picker follows once it is a color. */
export function ColorField({ label, name, value, fallback, error, onChange }: ColorFieldProps) {
  const id = useId()
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <div className="flex gap-2">
        <span className="relative size-11 shrink-0 overflow-hidden rounded-xl border border-edge">
          <input
            type="color"
            aria-label={`${label}, picker`}
            value={normalHex(value) ?? fallback}
            onChange={(event) => onChange(event.target.value)}
            className="absolute -inset-2 h-[calc(100%+1rem)] w-[calc(100%+1rem)] cursor-pointer"
          />
        </span>
        <input
          id={id}
          name={name}
          value={value}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          onChange={(event) => onChange(event.target.value)}
          onBlur={() => onChange(normalHex(value) ?? value)}
          className={`${inputClass} font-mono`}
        />
      </div>
      <FieldError id={`${id}-error`} error={error} />
    </div>
  )
}
