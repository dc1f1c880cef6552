import { labelFormat, type LabelFormat, labelFormats } from '#domain/qr/labels.ts'
import { type SheetFields, type SheetValues, wholeOf } from '#domain/qr/sheet-form.ts'
import type { useFormFields } from '#web/forms/use-form-fields.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { SheetPicture } from './sheet-picture.tsx'

export type SheetFormFields = ReturnType<typeof useFormFields<SheetFields, SheetValues>>

const groups = { A4: 'A4 sheets', Letter: 'US Letter sheets', label: 'Label printers' } as const
const formats = labelFormats.map((format) => ({
  value: format.name,
  label: wordsOf(format),
  group: groups[format.paper],
}))

/** Sheets are known by the numbers on their boxes. */
function wordsOf({ name, aliases, paper, label, columns, rows }: LabelFormat): string {
  const size = `${label.width.toFixed(1).replace('.0', '')} × ${label.height.toFixed(1).replace('.0', '')} mm`
  return paper === 'label'
    ? size
    : `${[name, ...aliases].join(', ')} (${columns * rows} of ${size})`
}

const offsetProps = { type: 'number', step: 0.1, autoComplete: 'off' } as const

interface LabelFieldsProps {
  form: SheetFormFields
  /** Codes without copies. */
  codes: number
}

/** The labels, and where on them the codes go. */
export function LabelFields({ form, codes }: LabelFieldsProps) {
  const format = labelFormat(form.values.format)
  return (
    <>
      <SelectField
        label="Labels"
        options={formats}
        {...form.field('format')}
        onChange={(name) => form.change({ format: name, start: '1' })}
      />
      <div className="flex items-start gap-5">
        {format === undefined || format.paper === 'label' ? null : (
          <SheetPicture
            format={format}
            start={wholeOf(form.values.start) || 1}
            count={codes * (wholeOf(form.values.copies) || 1)}
            onStart={(label) => form.change({ start: String(label) })}
          />
        )}
        <div className="grid min-w-0 grow content-start gap-4 sm:grid-cols-2">
          {format?.paper === 'label' ? null : (
            <Field label="First label" type="number" min={1} {...form.text('start')} />
          )}
          <Field label="Copies" type="number" min={1} {...form.text('copies')} />
          {format?.paper === 'label' ? null : (
            <>
              <Field label="Move right" note="mm" {...offsetProps} {...form.text('dx')} />
              <Field label="Move down" note="mm" {...offsetProps} {...form.text('dy')} />
              <p className="text-sm text-ink-faint sm:col-span-2">Press a label to begin there.</p>
            </>
          )}
        </div>
      </div>
    </>
  )
}
