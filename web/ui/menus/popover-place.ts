interface Rectangle {
  left: number
  right: number
  top: number
  bottom: number
}

interface Size {
  width: number
  height: number
}

export interface PopoverPlace {
  left: number
  top: number
  maxHeight: number
}

/** Between a panel and its button, and between a panel and the edges of the window, in pixels. */
const gap = 6

/**
 * Place of a panel beside its button: below it, or above it, and on the other side where the window has room for the panel
 * only there. It reaches to the middle of the window: it has the left edge of a button in the left half, and of one above,
 * else the right edge. In a low window the panel scrolls.
 */
export function placePopover(
  button: Rectangle,
  panel: Size,
  window: Size,
  prefersAbove: boolean,
): PopoverPlace {
  const room = {
    above: button.top - 2 * gap,
    below: window.height - button.bottom - 2 * gap,
  }
  const [first, other] = prefersAbove
    ? (['above', 'below'] as const)
    : (['below', 'above'] as const)
  const side =
    panel.height <= room[first] || (panel.height > room[other] && room[first] >= room[other])
      ? first
      : other
  const maxHeight = Math.max(room[side], 0.45 * window.height)
  const height = Math.min(panel.height, maxHeight)
  const lefts = [button.right - panel.width, button.left]
  const isAtLeft = button.left + button.right < window.width
  const left = (prefersAbove || isAtLeft ? lefts.reverse() : lefts).find((each) =>
    isBetween(each, gap, window.width - panel.width - gap),
  )
  return {
    left: left ?? clamp(button.right - panel.width, gap, window.width - panel.width - gap),
    top: clamp(
      side === 'below' ? button.bottom + gap : button.top - gap - height,
      gap,
      window.height - height - gap,
    ),
    maxHeight,
  }
}

const isBetween = (value: number, min: number, max: number) => value >= min && value <= max

const clamp = (value: number, min: number, max: number) => Math.max(min, Math.min(value, max))
