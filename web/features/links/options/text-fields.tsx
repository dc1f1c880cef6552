import { type LinkTextColumn, linkTextColumns } from '#domain/links/link-limits.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { TextAreaField } from '#web/ui/fields/text-area-field.tsx'
import { fieldsOf } from '#web/forms/use-form-fields.ts'
import type { OptionFields } from './options-draft.ts'

interface CommonInput {
  /** The part of the form that has the input. */
  group: 'description' | 'preview'
  label: string
}

/** A long one has several lines. */
type TextInput = CommonInput & ({ isLong?: never; hint?: string } | { isLong: true; hint?: never })

const inputs: Record<LinkTextColumn, TextInput> = {
  title: { group: 'description', label: 'Title', hint: 'Shown on tags and previews.' },
  note: { group: 'description', label: 'Note', isLong: true },
  preview_title: { group: 'preview', label: 'Preview title' },
  preview_description: { group: 'preview', label: 'Preview text', isLong: true },
}

/** The inputs of a part of the form for the texts of a link. */
export function TextFields({
  group: wanted,
  values,
  change,
  errorOf,
  skipped = [],
}: OptionFields & Pick<CommonInput, 'group'> & { skipped?: readonly LinkTextColumn[] }) {
  const { text } = fieldsOf(values, change, errorOf)
  return linkTextColumns.map((column) => {
    const { group, label, hint, isLong = false } = inputs[column]
    if (group !== wanted || skipped.includes(column)) return null
    const field = { label, ...text(column) }
    return isLong ? (
      <TextAreaField key={column} {...field} />
    ) : (
      <Field key={column} {...field} autoComplete="off" hint={hint} />
    )
  })
}
