import * as z from 'zod/mini'
import type { LinkLookUp } from '#web/api/database-admin.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { useFormFields } from '#web/forms/use-form-fields.ts'

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
  host: 'The host that links lead to, for example shop.example; including subdomains.',
  user: 'The email address or the id of the owner.',
}

const lookUpForm = z
  .pipe(
    z.object({ by: z.enum(['code', 'host', 'user']), value: z.string() }),
    z.transform(({ by, value }) => ({ by, value: by === 'code' ? codeIn(value) : value.trim() })),
  )
  .check(
    z.refine(({ value }) => value !== '', {
      error: 'Please enter what to look for',
      path: ['value'],
    }),
  )

export function LookUpForm({ by, value, onLookUp }: LookUpFormProps) {
  const form = useFormFields({
    schema: lookUpForm,
    initial: { by, value },
    submit: async (wanted) => onLookUp(wanted.by, wanted.value),
    issueNotice: null,
  })

  return (
    <form
      {...form.props}
      className="grid items-start gap-4 sm:grid-cols-[10rem_minmax(0,1fr)_auto]"
    >
      <SelectField label="Look up by" options={options} {...form.field('by')} />
      <Field
        label="Look for"
        kind="verbatim"
        {...form.text('value')}
        hint={hints[form.values.by]}
      />
      <Button type="submit" look="ink" className="sm:mt-6.5">
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
