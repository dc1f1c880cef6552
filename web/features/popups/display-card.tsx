import { AppWindow } from 'lucide-react'
import { type PopupDraft, popupPositions, popupSizes } from '#domain/popups/popup-form.ts'
import { popupLimits } from '#domain/popups/popup-limits.ts'
import { CheckboxField } from '#web/ui/fields/checkbox-field.tsx'
import { EditorCard } from './editor-card.tsx'
import type { PopupFormProps } from './popup-form-props.ts'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { fieldsOf } from '#web/forms/use-form-fields.ts'
import { SliderField } from './slider-field.tsx'

export function DisplayCard({ draft, change, problemOf }: PopupFormProps) {
  const { field } = fieldsOf(draft, change, problemOf)
  return (
    <EditorCard title="Display Settings" icon={<AppWindow size={20} aria-hidden />}>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Position"
          options={offeredPositions(draft.position)}
          {...field('position')}
        />
        <SelectField label="Popup size" options={popupSizes} {...field('size_preset')} />
      </div>
      <CheckboxField
        label="Enable Trigger Delay"
        name="trigger_delay_enabled"
        hint="Off: shows immediately."
        checked={draft.trigger_delay_enabled}
        onChange={(trigger_delay_enabled) => change({ trigger_delay_enabled })}
      />
      {draft.trigger_delay_enabled ? (
        <SliderField
          label="Trigger delay"
          max={popupLimits.trigger_delay}
          shown={draft.trigger_delay === 1 ? '1 second' : `${draft.trigger_delay} seconds`}
          {...field('trigger_delay')}
        />
      ) : null}
    </EditorCard>
  )
}

/** The editor offers three positions; a popup that already has another position keeps it in the list. */
function offeredPositions(current: PopupDraft['position']) {
  return popupPositions.filter(
    ({ value }) => value === current || value === 'center' || value === 'top' || value === 'bottom',
  )
}
