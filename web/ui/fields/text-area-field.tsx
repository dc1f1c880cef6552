import { useId, type TextareaHTMLAttributes } from 'react'
import { FieldError, inputClass } from './field.tsx'

interface TextAreaFieldProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  label: string
  /** Only for assistive technology: on the screen the field speaks for itself. */
  hideLabel?: boolean
  note?: string | undefined
  error?: string | undefined
}

/** A labelled box for several lines, which grows with its text. */
export function TextAreaField(props: TextAreaFieldProps) {
  const { label, hideLabel, note, error, className, ...area } = props
  const id = useId()
  return (
    <div className="grid gap-1.5">
      <label
        htmlFor={id}
        className={
          hideLabel === true ? 'sr-only' : 'flex items-baseline justify-between text-sm font-medium'
        }
      >
        {label}
        {note === undefined ? null : <span className="font-normal text-ink-faint">{note}</span>}
      </label>
      <textarea
        rows={3}
        {...area}
        id={id}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        className={`${inputClass} field-sizing-content h-auto! max-h-60 min-h-22 resize-y py-2.5 leading-relaxed ${className ?? ''}`}
      />
      <FieldError id={`${id}-error`} error={error} />
    </div>
  )
}
