import { useEffect, useRef } from 'react'
import { Field } from './field.tsx'

interface CodeFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string
  /** For a field that replaces the focused element. */
  focusWhenShown?: boolean
  error?: string | undefined
}

/** Six digits from an email, a message or an authenticator app. Pasted blanks do no harm. */
export function CodeField({ value, onChange, focusWhenShown = false, ...field }: CodeFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (focusWhenShown) input.current?.focus()
  }, [focusWhenShown])
  return (
    <Field
      {...field}
      ref={input}
      name="code"
      inputMode="numeric"
      kind="verbatim"
      autoComplete="one-time-code"
      maxLength={12}
      value={value}
      onChange={(event) => onChange(event.target.value.replaceAll(/[^\d ]/g, ''))}
      className="font-mono tracking-[0.3em]"
    />
  )
}
