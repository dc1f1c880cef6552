import { useId } from 'react'
import { contrast } from '#domain/colors.ts'
import {
  presetOf,
  type Theme,
  themeColorFromHex,
  themeColorToHex,
  themePresets,
} from '#domain/themes.ts'
import { themeAppliedNotice } from '#domain/texts.ts'
import { notifySuccess } from '#web/ui/notify.ts'
import { EditorSection } from './editor-section.tsx'

interface ThemeSectionProps {
  theme: Theme
  onChange: (theme: Theme) => void
}

const parts = [
  { key: 'primary', label: 'Primary color' },
  { key: 'background', label: 'Background color' },
  { key: 'text', label: 'Text color' },
] as const

export function ThemeSection({ theme, onChange }: ThemeSectionProps) {
  const chosen = presetOf(theme)?.name
  const hint = contrastHint(theme)
  return (
    <EditorSection title="Color Theme">
      <ul className="grid grid-cols-2 gap-2.5 sm:grid-cols-3 xl:grid-cols-4">
        {themePresets.map(({ name, ...colors }) => (
          <li key={name}>
            <button
              type="button"
              aria-pressed={name === chosen}
              onClick={() => {
                onChange(colors)
                notifySuccess(themeAppliedNotice(name))
              }}
              className="grid w-full gap-2 rounded-2xl border border-line p-2 text-left text-sm transition-colors duration-150 hover:border-edge aria-pressed:border-accent-text aria-pressed:ring-1 aria-pressed:ring-accent-text"
            >
              <Swatch theme={colors} />
              <span className="truncate px-1 font-medium">{name}</span>
            </button>
          </li>
        ))}
      </ul>
      <fieldset className="grid gap-3 border-t border-line pt-5">
        <legend className="sr-only">Your own colors</legend>
        <p aria-hidden className="text-sm font-medium">
          Your own colors
        </p>
        <div className="grid gap-3 sm:grid-cols-3">
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

/** What visitors would hardly see: text below the 4.5 of WCAG AA, or buttons and icons below its 3. */
function contrastHint({ text, primary, background }: Theme): string {
  const ground = themeColorToHex(background)
  const isTextFaint = contrast(themeColorToHex(text), ground) < 4.5
  const isPrimaryFaint = contrast(themeColorToHex(primary), ground) < 3
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
      className="grid h-14 content-center justify-items-center gap-1.5 rounded-xl border border-line"
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
