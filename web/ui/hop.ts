// The one motion: the orange dot hops to where something has just arrived.

interface Point {
  x: number
  y: number
}

const hopMs = 260
/** Radius of the dot, in pixels. */
export const hopRadius = 5
/** Until then a toast has come, or does not come. */
const maxFrames = 60

/** Lets the dot hop along an arc, in pixels of the window. With reduced motion there is no dot. */
export function hop(from: Point, to: Point): void {
  if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const dot = document.createElement('span')
  dot.dataset['hop'] = ''
  dot.ariaHidden = 'true'
  const top = Math.min(from.y, to.y) - Math.max(48, Math.abs(to.x - from.x) * 0.22)
  Object.assign(dot.style, {
    position: 'fixed',
    left: '0',
    top: '0',
    width: `${2 * hopRadius}px`,
    height: `${2 * hopRadius}px`,
    borderRadius: '50%',
    background: 'var(--accent)',
    pointerEvents: 'none',
    zIndex: '2147483647',
    offsetPath: `path("M${from.x} ${from.y}Q${(from.x + to.x) / 2} ${top} ${to.x} ${to.y}")`,
    offsetRotate: '0deg',
  })
  document.body.append(dot)
  const flight = dot.animate([{ offsetDistance: '0%' }, { offsetDistance: '100%' }], {
    duration: hopMs,
    easing: 'cubic-bezier(.3, 0, .2, 1)',
    fill: 'forwards',
  })
  flight.finished.catch(() => {}).finally(() => dot.remove())
}

/** From a pressed element to the tick of the toast about it, which appears when the dot lands. */
export function hopToToast(from: Element | null): void {
  if (from === null) return
  const before = newestTick()
  let frames = 0
  const look = () => {
    const tick = newestTick()
    if (tick !== null && tick !== before) return land(from, tick)
    if (++frames < maxFrames) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

function newestTick(): HTMLElement | null {
  return document.querySelector(
    '[data-sonner-toast][data-type="success"][data-front="true"] [data-icon]',
  )
}

function land(from: Element, tick: HTMLElement): void {
  const toast = tick.closest<HTMLElement>('[data-sonner-toast]')
  const list = toast?.closest('ol')
  if (!toast || !list) return
  // The toast is still on its way to its place in the list.
  const [box, place] = [toast.getBoundingClientRect(), list.getBoundingClientRect()]
  const top = toast.dataset['yPosition'] === 'top' ? place.top : place.bottom - box.height
  const { x, y } = centerOf(tick)
  hop(centerOf(from), { x, y: y - box.top + top })
  tick.animate([{ opacity: 0 }, { opacity: 0 }], { duration: hopMs })
}

function centerOf(element: Element): Point {
  const { left, top, width, height } = element.getBoundingClientRect()
  return { x: left + width / 2, y: top + height / 2 }
}
