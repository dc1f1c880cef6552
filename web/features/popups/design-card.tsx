import { Palette } from 'lucide-react'
import { contrast, normalHex } from '#domain/colours.ts'
import { newPopup, type PopupDraft } from '#domain/popup-form.ts'
import { fontStyles, popupLimits, shadowStyles } from '#domain/popup-options.ts'
import { ColourField } from './colour-field.tsx'
import { EditorCard } from './editor-card.tsx'
import type { FormPart } from './form-part.ts'
import { SelectField } from '#web/ui/select-field.tsx'
import { SliderField } from './slider-field.tsx'

type ColourName = 'backgroundColor' | 'textColor' | 'buttonColor' | 'buttonTextColor'

const colours: readonly { name: ColourName; label: string }[] = [
  { name: 'backgroundColor', label: 'Background colour' },
  { name: 'textColor', label: 'Text colour' },
  { name: 'buttonColor', label: 'Button colour' },
  { name: 'buttonTextColor', label: 'Button text colour' },
]

export function DesignCard({ draft, change, problemOf }: FormPart) {
  return (
    <EditorCard title="Design Customization" icon={<Palette size={20} aria-hidden />}>
      <div className="grid gap-4 sm:grid-cols-2">
        {colours.map(({ name, label }) => (
          <ColourField
            key={name}
            label={label}
            name={name}
            value={draft[name]}
            fallback={newPopup[name]}
            error={problemOf(name)}
            onChange={(colour) => change({ [name]: colour })}
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
        : `Some visitors can’t read ${faint.join(' and ')}: choose colours further apart.`}
    </output>
  )
}

/** Below the contrast that WCAG AA asks for: 4.5, and 3 for the large bold text of the button. */
function isFaint(text: string, ground: string, least: 3 | 4.5): boolean {
  const [a, b] = [normalHex(text), normalHex(ground)]
  return a !== null && b !== null && contrast(a, b) < least
}
