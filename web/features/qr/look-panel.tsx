import {
  cellShapes,
  cornerShapes,
  logoSizes,
  qrFrames,
  qrLimits,
  type QrLook,
} from '#domain/qr/qr-look.ts'
import { normalHex } from '#domain/colors.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { ColorField } from '#web/forms/color-field.tsx'
import { useState } from 'react'
import { ChoiceRow } from './choice-row.tsx'
import { LogoField } from './logo-field.tsx'

interface LookPanelProps {
  look: QrLook
  onChange: (part: Partial<QrLook>) => void
}

const cellWords = { squares: 'Squares', rounded: 'Rounded', dots: 'Dots', leaves: 'Leaves' }
const cornerWords = { squares: 'Squares', rounded: 'Rounded', circles: 'Circles', leaves: 'Leaves' }
const frameWords = { none: 'None', caption: 'Caption below', tab: 'Tab', ticket: 'Ticket' }
const sizeWords = { small: 'Small', medium: 'Medium', large: 'Large' }
const colors = [
  ['color', 'Color'],
  ['cornerColor', 'Corners'],
  ['background', 'Background'],
] as const

/** Everything that can be chosen about a look. */
export function LookPanel({ look, onChange }: LookPanelProps) {
  return (
    <div className="grid content-start gap-6 rounded-2xl border border-line bg-surface p-4 sm:p-6">
      <ChoiceRow
        label="Shape"
        values={cellShapes}
        value={look.cells}
        wordsOf={(value) => cellWords[value]}
        onChange={(cells) => onChange({ cells })}
      />
      <ChoiceRow
        label="Corners"
        values={cornerShapes}
        value={look.corners}
        wordsOf={(value) => cornerWords[value]}
        onChange={(corners) => onChange({ corners })}
      />
      <fieldset className="grid gap-3">
        <legend className="mb-2 text-sm font-medium">Colors</legend>
        <div className="grid grid-cols-3 gap-2 sm:gap-3">
          {colors.map(([name, label]) => (
            <LookColor
              // A mended look has other colors than those that were typed.
              key={`${name} ${look[name]}`}
              name={name}
              label={label}
              color={look[name]}
              onChange={(color) => onChange({ [name]: color })}
            />
          ))}
        </div>
      </fieldset>
      <LogoField logo={look.logo} onChange={(logo) => onChange({ logo })} />
      {look.logo === null ? null : (
        <ChoiceRow
          label="Logo size"
          values={logoSizes}
          value={look.logoSize}
          wordsOf={(value) => sizeWords[value]}
          onChange={(logoSize) => onChange({ logoSize })}
        />
      )}
      <ChoiceRow
        label="Frame and caption"
        values={qrFrames}
        value={look.frame}
        wordsOf={(value) => frameWords[value]}
        onChange={(frame) => onChange({ frame })}
      />
      {look.frame === 'none' ? null : <CaptionField look={look} onChange={onChange} />}
    </div>
  )
}

interface LookColorProps {
  name: string
  label: string
  color: string
  onChange: (color: string) => void
}

/** A color that takes effect once it is one. */
function LookColor({ name, label, color, onChange }: LookColorProps) {
  const [typed, setTyped] = useState(color)
  const isColor = normalHex(typed) !== null
  return (
    <ColorField
      name={name}
      label={label}
      value={typed}
      fallback={color}
      error={isColor ? undefined : 'Like #1a2b3c'}
      onChange={(text) => {
        setTyped(text)
        const hex = normalHex(text)
        if (hex !== null && hex !== color && text.length >= hex.length) onChange(hex)
      }}
    />
  )
}

function CaptionField({ look, onChange }: LookPanelProps) {
  const [typed, setTyped] = useState(look.caption)
  const length = Array.from(typed.trim()).length
  return (
    <Field
      label="Caption"
      value={typed}
      dir="auto"
      error={
        length > qrLimits.caption
          ? `A caption has at most ${qrLimits.caption} characters; this has ${length}.`
          : undefined
      }
      onChange={({ target }) => {
        setTyped(target.value)
        const caption = target.value.replaceAll(/[\p{Cc}\p{Cs}]/gu, '').trim()
        if (Array.from(caption).length <= qrLimits.caption) onChange({ caption })
      }}
    />
  )
}
