import { Palette } from 'lucide-react'
import type { ReactNode } from 'react'
import { contrast, normalHex } from '#domain/colors.ts'
import { fontStyles, newPopup, type PopupDraft, shadowStyles } from '#domain/popups/popup-form.ts'
import { popupLimits } from '#domain/popups/popup-limits.ts'
import { ColorField } from '#web/forms/color-field.tsx'
import { EditorCard } from './editor-card.tsx'
import type { PopupFormProps } from './popup-form-props.ts'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { fieldsOf } from '#web/forms/use-form-fields.ts'
import { SliderField } from './slider-field.tsx'

type ColorName = 'background_color' | 'text_color' | 'button_color' | 'button_text_color'

const colors: readonly { name: ColorName; label: string }[] = [
  { name: 'background_color', label: 'Background color' },
  { name: 'text_color', label: 'Text color' },
  { name: 'button_color', label: 'Button color' },
  { name: 'button_text_color', label: 'Button text color' },
]

interface DesignCardProps extends PopupFormProps {
  actions: ReactNode
}

export function DesignCard({ draft, change, problemOf, actions }: DesignCardProps) {
  const { field } = fieldsOf(draft, change, problemOf)
  return (
    <EditorCard
      title="Design Customization"
      icon={<Palette size={20} aria-hidden />}
      actions={actions}
    >
      <div className="grid grid-cols-2 gap-x-3 gap-y-4 sm:grid-cols-4 lg:max-xl:grid-cols-2">
        {colors.map(({ name, label }) => (
          <ColorField key={name} label={label} fallback={newPopup[name]} {...field(name)} />
        ))}
      </div>
      <ContrastHint draft={draft} />
      <div className="grid gap-4 sm:grid-cols-3 lg:max-xl:grid-cols-2">
        <SliderField
          label="Border radius"
          max={popupLimits.border_radius}
          shown={`${draft.border_radius} px`}
          {...field('border_radius')}
        />
        <SelectField label="Font style" options={fontStyles} {...field('font_style')} />
        <SelectField label="Shadow style" options={shadowStyles} {...field('shadow_style')} />
      </div>
    </EditorCard>
  )
}

// Always in the page, so that a change is announced.
function ContrastHint({ draft }: { draft: PopupDraft }) {
  const faint = [
    isFaint(draft.text_color, draft.background_color, 4.5) ? 'text on background' : '',
    isFaint(draft.button_text_color, draft.button_color, 3) ? 'text on button' : '',
  ].filter((pair) => pair !== '')
  return (
    <output className="text-sm text-accent-text empty:hidden">
      {faint.length === 0 ? '' : `Low contrast: ${faint.join(' and ')}`}
    </output>
  )
}

/** Below the contrast that WCAG AA asks for: 4.5, and 3 for the large bold text of the button. */
function isFaint(text: string, ground: string, least: 3 | 4.5): boolean {
  const [a, b] = [normalHex(text), normalHex(ground)]
  return a !== null && b !== null && contrast(a, b) < least
}
