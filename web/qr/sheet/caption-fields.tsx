import { labelLimits } from '#domain/qr/labels.ts'
import { type SheetCaption, sheetCaptions } from '#domain/qr/sheet-form.ts'
import { characterCount } from '#web/ui/fields/character-count.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import type { SheetFormFields } from './label-fields.tsx'

const captionWords: Readonly<Record<SheetCaption, string>> = {
  none: 'None',
  code: 'Address',
  title: 'Title',
  placement: 'Placement',
  text: 'Own text',
}

interface CaptionFieldsProps {
  form: SheetFormFields
  hasPlacements: boolean
}

/** Words on each label. */
export function CaptionFields({ form, hasPlacements }: CaptionFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label="Caption"
        options={sheetCaptions
          .filter((each) => each !== 'placement' || hasPlacements)
          .map((value) => ({ value, label: captionWords[value] }))}
        {...form.field('caption')}
      />
      {form.values.caption === 'text' ? (
        <Field
          label="Own text"
          autoComplete="off"
          note={characterCount(form.values.text, labelLimits.caption)}
          {...form.text('text')}
        />
      ) : null}
    </div>
  )
}
