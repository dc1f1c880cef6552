interface UseRowProps {
  name: string
  detail: string
  /** The other popup that it shows now. */
  note: string | undefined
  checked: boolean
  onChange: (checked: boolean) => void
}

/** A place where a popup can be used, with a checkbox. */
export function UseRow({ name, detail, note, checked, onChange }: UseRowProps) {
  return (
    <label className="grid min-h-14 cursor-pointer grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 rounded-xl px-2 py-1 hover:bg-sunken">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="row-span-2 size-5 cursor-pointer accent-ink"
      />
      <span className="self-end truncate text-sm font-medium">{name}</span>
      <span className="col-start-2 self-start truncate text-xs text-ink-faint">
        {note ?? detail}
      </span>
    </label>
  )
}
