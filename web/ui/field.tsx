import { useId, type InputHTMLAttributes, type ReactNode, type Ref } from 'react'

export const inputClass =
  'h-11 w-full min-w-0 rounded-xl border border-edge bg-surface px-3.5 text-base text-ink ' +
  'transition-colors duration-150 hover:border-ink-faint aria-invalid:border-danger'

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string
  note?: string | undefined
  hint?: ReactNode
  error?: string | undefined
  /** Stands inside the field, at its end. */
  trailing?: ReactNode
  ref?: Ref<HTMLInputElement>
}

/** A labelled input whose hint and error are announced with it. */
export function Field({ label, note, hint, error, trailing, className, ...input }: FieldProps) {
  const id = useId()
  const hasHint = hint !== undefined && hint !== null
  const describedBy = [hasHint ? `${id}-hint` : '', error === undefined ? '' : `${id}-error`]
    .filter((part) => part !== '')
    .join(' ')
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="flex items-baseline justify-between text-sm font-medium">
        {label}
        {note === undefined ? null : <span className="font-normal text-ink-faint">{note}</span>}
      </label>
      <div className="relative">
        <input
          {...input}
          id={id}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={describedBy === '' ? undefined : describedBy}
          className={`${inputClass} ${trailing === undefined ? '' : 'pr-12'} ${className ?? ''}`}
        />
        {trailing === undefined ? null : (
          <div className="absolute inset-y-0 right-0.5 flex items-center">{trailing}</div>
        )}
      </div>
      {hasHint ? (
        <p id={`${id}-hint`} className="text-sm text-ink-faint">
          {hint}
        </p>
      ) : null}
      <FieldError id={`${id}-error`} error={error} />
    </div>
  )
}

export function FieldError({ id, error }: { id: string; error: string | undefined }) {
  return error === undefined ? null : (
    <p id={id} className="text-sm text-danger">
      {error}
    </p>
  )
}
