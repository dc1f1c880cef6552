import { AppWindow } from 'lucide-react'
import {
  popupLimits,
  type PopupPosition,
  popupPositions,
  popupSizes,
} from '#domain/popup-options.ts'
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
          name="size"
          options={popupSizes}
          value={draft.size}
          onChange={(size) => change({ size })}
        />
      </div>
      <CheckboxField
        label="Enable Trigger Delay"
        name="delayEnabled"
        hint="Otherwise the popup appears at once."
        checked={draft.delayEnabled}
        onChange={(delayEnabled) => change({ delayEnabled })}
      />
      {draft.delayEnabled ? (
        <SliderField
          label="Trigger delay"
          name="delay"
          max={popupLimits.delay}
          value={draft.delay}
          shown={draft.delay === 1 ? '1 second' : `${draft.delay} seconds`}
          onChange={(delay) => change({ delay })}
        />
      ) : null}
    </EditorCard>
  )
}

/** The editor offers three positions; a popup that already has another position keeps it in the list. */
function offeredPositions(current: PopupPosition) {
  return popupPositions.filter(
    ({ value }) => value === current || value === 'center' || value === 'top' || value === 'bottom',
  )
}
