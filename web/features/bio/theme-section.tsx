import { useId } from 'react'
import { contrast, mixed } from '#domain/colors.ts'
import { type BioLook, lookOf } from '#domain/bio/looks.ts'
import {
  presetOf,
  type Theme,
  themeColorFromHex,
  themeColorToHex,
  themePresets,
} from '#domain/bio/themes.ts'
import { themeAppliedNotice } from '#domain/texts/bio-texts.ts'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { EditorSection } from './editor-section.tsx'
import type { BioFields } from './use-bio-editor.ts'

const parts = [
  { key: 'primary', label: 'Primary color' },
  { key: 'background', label: 'Background color' },
  { key: 'text', label: 'Text color' },
] as const

export function ThemeSection({ draft, change }: BioFields) {
  const { theme } = draft
  const chosen = presetOf(theme)?.name
  const hint = contrastHint(theme, lookOf(draft.look))
  const onChange = (next: Theme) => change(() => ({ theme: next }))
  return (
    <EditorSection title="Color Theme">
      <ul className="grid grid-cols-2 gap-2.5 @lg:grid-cols-5">
        {themePresets.map(({ name, ...colors }) => (
          <li key={name}>
            <button
              type="button"
              aria-pressed={name === chosen}
              onClick={() => {
                onChange(colors)
                notifySuccess(themeAppliedNotice(name))
              }}
              className="grid h-full w-full content-start gap-1.5 rounded-xl border border-line p-1.5 text-left text-xs transition-colors duration-150 hover:border-edge aria-pressed:border-ink aria-pressed:ring-1 aria-pressed:ring-ink"
            >
              <Swatch theme={colors} />
              <span className="px-0.5 font-medium">{name}</span>
            </button>
          </li>
        ))}
      </ul>
      <fieldset className="grid gap-3 border-t border-line pt-4">
        <legend className="sr-only">Your own colors</legend>
        <p aria-hidden className="text-sm font-medium">
          Your own colors
        </p>
        <div className="grid gap-3 @md:grid-cols-3">
          {parts.map(({ key, label }) => (
            <ColorPicker
              key={key}
              label={label}
              hex={themeColorToHex(theme[key])}
              onChange={(hex) => onChange({ ...theme, [key]: themeColorFromHex(hex) })}
            />
          ))}
        </div>
        <output className={hint === '' ? 'sr-only' : 'text-sm text-danger'}>{hint}</output>
      </fieldset>
    </EditorSection>
  )
}

/**
 * Colors that visitors would hardly see, on the background or on the strongest part of the look's ground: text below the 4.5 of
 * WCAG AA, or buttons and icons below its 3.
 */
function contrastHint(theme: Theme, { tint }: BioLook): string {
  const text = themeColorToHex(theme.text)
  const primary = themeColorToHex(theme.primary)
  const background = themeColorToHex(theme.background)
  const grounds = [background, mixed(primary, background, tint)]
  const isTextFaint = grounds.some((ground) => contrast(text, ground) < 4.5)
  const isPrimaryFaint = grounds.some((ground) => contrast(primary, ground) < 3)
  if (isTextFaint && isPrimaryFaint)
    return 'Text, buttons and icons are hard to see on this background. Try more contrast.'
  if (isPrimaryFaint)
    return 'Buttons and icons are hard to see on this background. Try more contrast.'
  return isTextFaint ? 'The text is hard to read on this background. Try more contrast.' : ''
}

/** A tiny page in the theme's colors. */
function Swatch({ theme }: { theme: Theme }) {
  return (
    <span
      aria-hidden
      className="grid h-14 content-center justify-items-center gap-1.5 rounded-md border border-line"
      style={{ background: `hsl(${theme.background})` }}
    >
      <span className="h-1.5 w-10 rounded-full" style={{ background: `hsl(${theme.text})` }} />
      <span className="h-3 w-16 rounded-full" style={{ background: `hsl(${theme.primary})` }} />
    </span>
  )
}

interface ColorPickerProps {
  label: string
  hex: string
  onChange: (hex: string) => void
}

function ColorPicker({ label, hex, onChange }: ColorPickerProps) {
  const id = useId()
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm text-ink-soft">
        {label}
      </label>
      <div className="flex items-center gap-3">
        <input
          id={id}
          type="color"
          value={hex}
          onChange={(event) => onChange(event.target.value)}
          className="h-11 w-14 cursor-pointer rounded-xl border border-edge bg-surface p-1"
        />
        <span className="font-mono text-sm text-ink-soft uppercase">{hex}</span>
      </div>
    </div>
  )
}
