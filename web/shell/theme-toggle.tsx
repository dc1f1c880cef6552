import { Check, Monitor, Moon, Sun } from 'lucide-react'
import { Popover, popoverItemClass } from '#web/ui/menus/popover.tsx'
import { setTheme, themes, useTheme } from './theme.ts'

const names = { light: 'Light', dark: 'Dark', system: 'System' }
const icons = { light: Sun, dark: Moon, system: Monitor }

export function ThemeToggle() {
  const { theme, dark } = useTheme()
  const Current = dark ? Moon : Sun
  return (
    <Popover label="Theme" icon={<Current size={18} aria-hidden />} className="w-44">
      <fieldset>
        <legend className="sr-only">Theme</legend>
        {themes.map((name) => {
          const Icon = icons[name]
          return (
            <button
              key={name}
              type="button"
              aria-pressed={theme === name}
              className={popoverItemClass}
              onClick={() => setTheme(name)}
            >
              <Icon size={16} aria-hidden />
              <span className="grow">{names[name]}</span>
              {theme === name ? <Check size={16} aria-hidden className="text-accent-text" /> : null}
            </button>
          )
        })}
      </fieldset>
    </Popover>
  )
}
