import { AppWindow } from 'lucide-react'
import { type PopupDraft, popupPositions, popupSizes } from '#domain/popup-form.ts'
import { popupLimits } from '#domain/popup-limits.ts'
import { CheckboxField } from './checkbox-field.tsx'
import { EditorCard } from './editor-card.tsx'
import type { PopupFormProps } from './popup-form-props.ts'
import { SelectField } from '#web/ui/select-field.tsx'
import { SliderField } from './slider-field.tsx'

export function DisplayCard({ draft, change }: PopupFormProps) {
  return (
    <EditorCard title="Display Settings" icon={<AppWindow size={20} aria-hidden />}>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Position"
          name="position"
          options={offeredPositions(draft.position)}
          value={draft.position}
          onChange={(position) => change({ position })}
        />
        <SelectField
          label="Popup size"
          name="size_preset"
          options={popupSizes}
          value={draft.size_preset}
          onChange={(size_preset) => change({ size_preset })}
        />
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
          name="trigger_delay"
          max={popupLimits.trigger_delay}
          value={draft.trigger_delay}
          shown={draft.trigger_delay === 1 ? '1 second' : `${draft.trigger_delay} seconds`}
          onChange={(trigger_delay) => change({ trigger_delay })}
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
