import { useId, type ReactNode } from 'react'

interface CheckboxFieldProps {
  label: string
  name: string
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
}

export function CheckboxField({ label, name, hint, checked, onChange }: CheckboxFieldProps) {
  const id = useId()
  return (
    <div className="grid grid-cols-[auto_1fr] items-start gap-x-3">
      <input
        id={id}
        name={name}
        type="checkbox"
        checked={checked}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.5 size-6 cursor-pointer accent-ink"
      />
      <label htmlFor={id} className="min-h-7 cursor-pointer pt-0.5 font-medium">
        {label}
      </label>
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="col-start-2 text-sm text-ink-faint">
          {hint}
        </p>
      )}
    </div>
  )
}
