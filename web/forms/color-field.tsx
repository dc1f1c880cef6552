import { useId } from 'react'
import { normalHex } from '#domain/colors.ts'
import { FieldError, verbatim } from '#web/ui/fields/field.tsx'

interface ColorFieldProps {
  label: string
  name: string
  value: string
  /** Color of the picker until the text is a color. */
  fallback: string
  error?: string | undefined
  onChange: (value: string) => void
}

/** A swatch that opens a picker, above the color as text: it keeps its input, the swatch follows once it is a color. */
export function ColorField({ label, name, value, fallback, error, onChange }: ColorFieldProps) {
  const id = useId()
  return (
    <div className="grid min-w-0 content-start gap-1.5">
      <label htmlFor={id} className="truncate text-xs font-medium">
        {label}
      </label>
      <div className="overflow-hidden rounded-xl border border-edge transition-colors duration-150 hover:border-ink-faint has-aria-invalid:border-danger has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-[var(--focus)]">
        <span className="relative block h-11 overflow-hidden border-b border-edge">
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
          {...verbatim}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          onChange={(event) => onChange(event.target.value)}
          onBlur={() => onChange(normalHex(value) ?? value)}
          className="block h-9 w-full min-w-0 bg-transparent px-2.5 font-mono text-sm text-ink outline-none pointer-coarse:h-11"
        />
      </div>
      <FieldError id={`${id}-error`} error={error} />
    </div>
  )
}
