interface SwitchProps {
  label: string
  /** Only for assistive technology: the text beside the switch names its purpose. */
  hideLabel?: boolean
  checked: boolean
  onChange: (checked: boolean) => void
}

export function Switch({ label, hideLabel, checked, onChange }: SwitchProps) {
  return (
    <label className="flex min-h-11 cursor-pointer items-center justify-between gap-4 font-medium">
      {hideLabel === true ? <span className="sr-only">{label}</span> : label}
      <span className="relative inline-flex">
        <input
          type="checkbox"
          role="switch"
          checked={checked}
          aria-checked={checked}
          onChange={(event) => onChange(event.target.checked)}
          className="peer h-7 w-12 cursor-pointer appearance-none rounded-full border border-edge bg-sunken transition-colors duration-150 checked:border-ink checked:bg-ink"
        />
        <span className="pointer-events-none absolute top-1 left-1 size-5 rounded-full bg-ink-faint transition-transform duration-150 peer-checked:translate-x-5 peer-checked:bg-paper" />
      </span>
    </label>
  )
}
