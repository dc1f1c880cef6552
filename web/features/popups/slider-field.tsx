import { useId } from 'react'

interface SliderFieldProps {
  label: string
  name: string
  max: number
  value: number
  /** The value as people read it, with its unit. */
  shown: string
  onChange: (value: number) => void
}

export function SliderField({ label, name, max, value, shown, onChange }: SliderFieldProps) {
  const id = useId()
  return (
    <div className="grid gap-1.5">
      <div className="flex items-baseline justify-between text-sm">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <output htmlFor={id} className="text-ink-soft tabular-nums">
          {shown}
        </output>
      </div>
      <input
        id={id}
        name={name}
        type="range"
        min={0}
        max={max}
        step={1}
        value={value}
        aria-valuetext={shown}
        onChange={(event) => onChange(Number(event.target.value))}
        className="h-11 w-full cursor-pointer accent-accent-text"
      />
    </div>
  )
}
