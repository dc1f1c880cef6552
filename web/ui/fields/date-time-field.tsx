import { useRef } from 'react'
import { X } from 'lucide-react'
import { IconButton } from '../button.tsx'
import { zoneHint } from '../local-time.ts'
import { Field } from './field.tsx'

interface DateTimeFieldProps {
  label: string
  name: string
  /** A local time, `2026-12-01T08:00`; empty for none. */
  value: string
  onChange: (value: string) => void
  error: string | undefined
}

/** A moment in the zone of the browser, or none. */
export function DateTimeField({ label, name, value, onChange, error }: DateTimeFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <Field
      ref={input}
      label={label}
      name={name}
      type="datetime-local"
      max="9999-12-31T23:59"
      value={value}
      onChange={({ target }) => onChange(target.value)}
      hint={zoneHint()}
      error={error}
      trailing={
        value === '' ? undefined : (
          <IconButton
            label={`Clear ${label.toLowerCase()}`}
            onClick={() => {
              onChange('')
              input.current?.focus()
            }}
          >
            <X size={17} aria-hidden />
          </IconButton>
        )
      }
    />
  )
}
