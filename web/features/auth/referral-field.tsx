import { useRef, useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/fields/field.tsx'

interface ReferralFieldProps {
  /** A referral link brought the person: its code is a line, which can be changed. */
  isGiven: boolean
  code: string
  onChange: (code: string) => void
  error: string | undefined
}

export function ReferralField({ isGiven, code, onChange, error }: ReferralFieldProps) {
  const [isLine, setLine] = useState(isGiven)
  const field = useRef<HTMLInputElement>(null)
  return (
    <Field
      ref={field}
      label="Referral code"
      name="referralCode"
      note={isLine ? 'from your invite' : 'optional'}
      kind="verbatim"
      autoCapitalize="characters"
      readOnly={isLine}
      value={code}
      onChange={(event) => onChange(event.target.value)}
      error={error}
      className={`font-mono ${isLine ? 'border-transparent! bg-sunken! pr-24!' : ''}`}
      trailing={
        isLine ? (
          <Button
            look="quiet"
            size="small"
            onClick={() => {
              setLine(false)
              field.current?.focus()
            }}
          >
            Change
          </Button>
        ) : undefined
      }
    />
  )
}
