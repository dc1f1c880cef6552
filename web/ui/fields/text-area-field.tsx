import { type ReactNode, type Ref, useId, type TextareaHTMLAttributes } from 'react'
import { FieldError, inputClass } from './field.tsx'

interface TextAreaFieldProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  label: string
  /** Only for assistive technology: on the screen the field speaks for itself. */
  hideLabel?: boolean
  note?: string | undefined
  hint?: ReactNode
  error?: string | undefined
  ref?: Ref<HTMLTextAreaElement>
}

/** A labelled box for several lines, which grows with its text. */
export function TextAreaField(props: TextAreaFieldProps) {
  const { label, hideLabel, note, hint, error, className, ...area } = props
  const id = useId()
  const hasHint = hint !== undefined && hint !== null
  const describedBy = [hasHint ? `${id}-hint` : '', error === undefined ? '' : `${id}-error`]
    .filter((part) => part !== '')
    .join(' ')
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
        aria-describedby={describedBy === '' ? undefined : describedBy}
        className={`${inputClass} field-sizing-content h-auto! max-h-60 min-h-22 resize-y py-2.5 leading-relaxed ${className ?? ''}`}
      />
      {hasHint ? (
        <p id={`${id}-hint`} className="text-sm text-ink-faint">
          {hint}
        </p>
      ) : null}
      <FieldError id={`${id}-error`} error={error} />
    </div>
  )
}
