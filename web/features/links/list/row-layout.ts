import { phone, useMedia } from '#web/ui/hooks/use-media.ts'
import { useDensity } from './density.ts'

/**
 * Shape of a row by the width of the window: columns beside two lines of text, two lines with the figures at their ends,
 * the same without the actions of a desk, and three lines.
 */
export type RowLayout = 'columns' | 'lines' | 'phone' | 'narrow'

export function isPhoneLayout(layout: RowLayout): boolean {
  return layout === 'phone' || layout === 'narrow'
}

/** From 1280 px on (`xl`). */
const columns = '(width >= 80rem)'
const narrow = '(width < 30rem)'

const rowHeights = { narrow: 84, comfortable: 60, dense: 44 }

/** The shape of all rows of the list, and the usual height. */
export function useRowLayout(): { layout: RowLayout; isDense: boolean; rowHeight: number } {
  const hasColumns = useMedia(columns)
  const isPhone = useMedia(phone)
  const isNarrow = useMedia(narrow)
  const { density } = useDensity()
  const layout = isNarrow ? 'narrow' : isPhone ? 'phone' : hasColumns ? 'columns' : 'lines'
  const isDense = !isPhone && density === 'dense'
  return {
    layout,
    isDense,
    rowHeight: rowHeights[isNarrow ? 'narrow' : isDense ? 'dense' : 'comfortable'],
  }
}
