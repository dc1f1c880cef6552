import { useState, type FormEvent } from 'react'
import type { LinkLookUp } from '#web/database-admin.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { SelectField } from '#web/ui/select-field.tsx'

interface LookUpFormProps {
  by: LinkLookUp
  value: string
  onLookUp: (by: LinkLookUp, value: string) => void
}

const options = [
  { value: 'code', label: 'Short link' },
  { value: 'host', label: 'Host' },
  { value: 'user', label: 'User' },
] as const

const hints: Record<LinkLookUp, string> = {
  code: 'The part behind the last slash, or the whole short link.',
  host: 'The host that links lead to, for example shop.example; all below it is found too.',
  user: 'The email address or the id of the owner.',
}

export function LookUpForm({ by: firstBy, value: firstValue, onLookUp }: LookUpFormProps) {
  const [by, setBy] = useState(firstBy)
  const [value, setValue] = useState(firstValue)
  const [problem, setProblem] = useState<string>()

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const wanted = by === 'code' ? codeIn(value) : value.trim()
    setProblem(wanted === '' ? 'Please enter what to look for' : undefined)
    if (wanted !== '') return onLookUp(by, wanted)
    const field = event.currentTarget.elements.namedItem('value')
    if (field instanceof HTMLElement) field.focus()
  }

  return (
    <form
      noValidate
      onSubmit={submit}
      className="grid items-start gap-4 sm:grid-cols-[10rem_minmax(0,1fr)_auto]"
    >
      <SelectField label="Look up by" name="by" options={options} value={by} onChange={setBy} />
      <Field
        label="Look for"
        name="value"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        hint={hints[by]}
        error={problem}
      />
      <Button type="submit" look="accent" className="sm:mt-6.5">
        Look Up
      </Button>
    </form>
  )
}

/** The code of a short link, also when the whole address was pasted. */
function codeIn(value: string): string {
  const [path = ''] = value.trim().split(/[?#]/)
  return path.replace(/\/+$/, '').split('/').at(-1) ?? ''
}
