import { useRef, useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { PasswordField } from '#web/ui/fields/password-field.tsx'

interface LinkPasswordFieldProps {
  /** Whether the saved link has one. */
  hasPassword: boolean
  /** Null keeps it, empty removes it. */
  password: string | null
  onChange: (password: string | null) => void
  error: string | undefined
}

/** The password of a link, which can be set, changed and removed, and never read. */
export function LinkPasswordField(props: LinkPasswordFieldProps) {
  const { hasPassword, password, onChange, error } = props
  const [isTyping, setTyping] = useState(password !== null && password !== '')
  const block = useRef<HTMLDivElement>(null)
  // The button that was pressed leaves.
  const focusFirst = () =>
    requestAnimationFrame(() => block.current?.querySelector<HTMLElement>('input, button')?.focus())
  if (isTyping)
    return (
      <div ref={block} className="grid gap-2">
        <PasswordField
          label="Link password"
          autoComplete="new-password"
          value={password ?? ''}
          onChange={(typed) => onChange(typed === '' ? null : typed)}
          hint="Visitors enter the password before the redirect."
          error={error}
        />
        <Button
          size="small"
          className="justify-self-start"
          onClick={() => {
            setTyping(false)
            onChange(null)
            focusFirst()
          }}
        >
          {hasPassword ? 'Keep the old one' : 'No password'}
        </Button>
      </div>
    )
  const isRemoved = password === ''
  return (
    <div
      ref={block}
      className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-2"
    >
      <p className="font-medium">
        Password{' '}
        <span className="text-sm font-normal text-ink-faint">
          {isRemoved ? 'removed when you save' : hasPassword ? 'set' : 'none'}
        </span>
      </p>
      <div className="flex gap-2">
        {isRemoved ? (
          <Button
            size="small"
            onClick={() => {
              onChange(null)
              focusFirst()
            }}
          >
            Keep
          </Button>
        ) : (
          <>
            <Button
              size="small"
              onClick={() => {
                setTyping(true)
                focusFirst()
              }}
            >
              {hasPassword ? 'Change' : 'Set'}
            </Button>
            {hasPassword ? (
              <Button
                size="small"
                onClick={() => {
                  onChange('')
                  focusFirst()
                }}
              >
                Remove
              </Button>
            ) : null}
          </>
        )}
      </div>
    </div>
  )
}
