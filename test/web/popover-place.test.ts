import { describe, expect, it } from 'vitest'
import { placePopover } from '#web/ui/menus/popover-place.ts'

const window = { width: 1000, height: 800 }
const panel = { width: 200, height: 300 }
const buttonAt = (left: number, top: number) => ({ left, right: left + 40, top, bottom: top + 40 })

describe('a panel', () => {
  it('opens below its button, with the same right edge', () => {
    expect(placePopover(buttonAt(500, 100), panel, window, false)).toMatchObject({
      left: 340,
      top: 146,
    })
  })

  it('opens above a button at the lower edge', () => {
    expect(placePopover(buttonAt(500, 700), panel, window, false).top).toBe(394)
  })

  it('opens to the right of a button in the left half, where another part may be beside it', () => {
    expect(placePopover(buttonAt(10, 100), panel, window, false).left).toBe(10)
    expect(placePopover(buttonAt(268, 100), panel, window, false).left).toBe(268)
    // The control: in the right half it opens to the left.
    expect(placePopover(buttonAt(490, 100), panel, window, false).left).toBe(330)
  })

  it('opens above and to the right where its button says so, and below at the upper edge', () => {
    expect(placePopover(buttonAt(10, 700), panel, window, true)).toMatchObject({
      left: 10,
      top: 394,
    })
    expect(placePopover(buttonAt(10, 10), panel, window, true).top).toBe(56)
  })

  it('stays inside a window that is narrower than it needs', () => {
    const { left } = placePopover(buttonAt(100, 100), panel, { width: 220, height: 800 }, false)
    expect(left).toBe(6)
  })

  it('is on the side with more room, and scrolls, where neither has enough', () => {
    const low = { width: 1000, height: 390 }
    const { top, maxHeight } = placePopover(
      buttonAt(500, 60),
      { width: 200, height: 600 },
      low,
      false,
    )
    expect({ top, maxHeight }).toEqual({ top: 106, maxHeight: 278 })
  })

  it('has at least 45 % of a low window, and covers its button rather than leave it', () => {
    const low = { width: 1000, height: 390 }
    const { top, maxHeight } = placePopover(
      buttonAt(500, 170),
      { width: 200, height: 600 },
      low,
      false,
    )
    expect(maxHeight).toBe(0.45 * 390)
    expect(top + maxHeight).toBeLessThanOrEqual(384)
  })
})
