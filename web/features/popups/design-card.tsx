import { Palette } from 'lucide-react'
import { contrast, normalHex } from '#domain/colors.ts'
import { newPopup, type PopupDraft } from '#domain/popup-form.ts'
import { fontStyles, popupLimits, shadowStyles } from '#domain/popup-options.ts'
import { ColorField } from './color-field.tsx'
import { EditorCard } from './editor-card.tsx'
import type { PopupFormProps } from './popup-form-props.ts'
import { SelectField } from '#web/ui/select-field.tsx'
import { SliderField } from './slider-field.tsx'

type ColorName = 'backgroundColor' | 'textColor' | 'buttonColor' | 'buttonTextColor'

const colors: readonly { name: ColorName; label: string }[] = [
  { name: 'backgroundColor', label: 'Background color' },
  { name: 'textColor', label: 'Text color' },
  { name: 'buttonColor', label: 'Button color' },
  { name: 'buttonTextColor', label: 'Button text color' },
]

export function DesignCard({ draft, change, problemOf }: PopupFormProps) {
  return (
    <EditorCard title="Design Customization" icon={<Palette size={20} aria-hidden />}>
      <div className="grid gap-4 sm:grid-cols-2">
        {colors.map(({ name, label }) => (
          <ColorField
            key={name}
            label={label}
            name={name}
            value={draft[name]}
            fallback={newPopup[name]}
            error={problemOf(name)}
            onChange={(color) => change({ [name]: color })}
          />
        ))}
      </div>
      <ContrastHint draft={draft} />
      <SliderField
        label="Border radius"
        name="borderRadius"
        max={popupLimits.borderRadius}
        value={draft.borderRadius}
        shown={`${draft.borderRadius} px`}
        onChange={(borderRadius) => change({ borderRadius })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Font style"
          name="fontStyle"
          options={fontStyles}
          value={draft.fontStyle}
          onChange={(fontStyle) => change({ fontStyle })}
        />
        <SelectField
          label="Shadow style"
          name="shadowStyle"
          options={shadowStyles}
          value={draft.shadowStyle}
          onChange={(shadowStyle) => change({ shadowStyle })}
        />
      </div>
    </EditorCard>
  )
}

// Always in the page, so that a change is announced.
function ContrastHint({ draft }: { draft: PopupDraft }) {
  const faint = [
    isFaint(draft.textColor, draft.backgroundColor, 4.5) ? 'the text on its background' : '',
    isFaint(draft.buttonTextColor, draft.buttonColor, 3) ? 'the text on the button' : '',
  ].filter((pair) => pair !== '')
  return (
    <output className="text-sm text-accent-text empty:hidden">
      {faint.length === 0
        ? ''
        : `Some visitors can’t read ${faint.join(' and ')}: choose colors further apart.`}
    </output>
  )
}

/** Below the contrast that WCAG AA asks for: 4.5, and 3 for the large bold text of the button. */
function isFaint(text: string, ground: string, least: 3 | 4.5): boolean {
  const [a, b] = [normalHex(text), normalHex(ground)]
  return a !== null && b !== null && contrast(a, b) < least
}
