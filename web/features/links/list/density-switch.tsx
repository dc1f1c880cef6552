import { Rows3, Rows4 } from 'lucide-react'
import { useDensity } from './density.ts'

const choices = [
  { density: 'comfortable', name: 'Comfortable rows', Icon: Rows3 },
  { density: 'dense', name: 'Dense rows', Icon: Rows4 },
] as const

/** Chooses the height of the rows. */
export function DensitySwitch() {
  const { density, setDensity } = useDensity()
  return (
    <fieldset className="flex shrink-0 rounded-xl border border-line bg-surface p-0.5 max-rail:hidden">
      <legend className="sr-only">Density</legend>
      {choices.map(({ density: choice, name, Icon }) => (
        <button
          key={choice}
          type="button"
          aria-label={name}
          title={name}
          aria-pressed={density === choice}
          onClick={() => setDensity(choice)}
          className="grid size-8 place-items-center rounded-md text-ink-faint transition-colors duration-150 hover:text-ink aria-pressed:bg-sunken aria-pressed:text-ink pointer-coarse:size-10"
        >
          <Icon size={16} aria-hidden />
        </button>
      ))}
    </fieldset>
  )
}
