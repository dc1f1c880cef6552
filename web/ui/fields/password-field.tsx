import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '#web/ui/button.tsx'
import { Field } from '#web/ui/fields/field.tsx'

interface PasswordFieldProps {
  label?: string
  name?: string
  value: string
  onChange: (value: string) => void
  autoComplete: 'current-password' | 'new-password'
  hint?: string
  error: string | undefined
}

export function PasswordField({
  label = 'Password',
  name = 'password',
  value,
  onChange,
  ...field
}: PasswordFieldProps) {
  const [shown, setShown] = useState(false)
  return (
    <Field
      {...field}
      label={label}
      name={name}
      // A shown password is a text that a phone would correct.
      kind="verbatim"
      type={shown ? 'text' : 'password'}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      trailing={
        <IconButton
          label={shown ? 'Hide password' : 'Show password'}
          onClick={() => setShown(!shown)}
        >
          {shown ? <EyeOff size={18} aria-hidden /> : <Eye size={18} aria-hidden />}
        </IconButton>
      }
    />
  )
}
