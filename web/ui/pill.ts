/** The shape of the chosen one in a row of choices. */
export const pillClass =
  'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-full border border-line px-3 text-sm whitespace-nowrap text-ink-soft ' +
  'transition-colors duration-150 hover:border-edge hover:text-ink pointer-coarse:h-11 pointer-coarse:min-w-11 ' +
  'aria-pressed:border-ink aria-pressed:bg-ink aria-pressed:text-paper'
