import type { ReactNode } from 'react'

/** A button that shows the same in another way. */
export function ToggleButton(props: { isOn: boolean; onPress: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-pressed={props.isOn}
      onClick={props.onPress}
      className="h-8 rounded-full border border-line px-3 text-xs text-ink-soft transition-colors duration-150 hover:border-edge hover:text-ink aria-pressed:border-ink aria-pressed:bg-ink aria-pressed:text-paper pointer-coarse:h-11"
    >
      {props.children}
    </button>
  )
}
