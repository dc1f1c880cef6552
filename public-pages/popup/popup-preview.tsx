import './popup-preview.css'
import '#public-pages/frame/visitor.css'
import { popupProperties, type Properties } from '#public-pages/colors.ts'
import { NoThanks, PopupBody } from './popup-card.tsx'
import type { PopupView } from '#public-pages/view-models.ts'

interface PopupPreviewProps {
  popup: PopupView
  /** The window that the visitor has, in pixels; without a width it is as wide as the preview allows. */
  width?: number
  height: number
  scale: number
}

/** The popup in a visitor's window, scaled; it does not react to input. */
export function PopupPreview({ popup, width, height, scale }: PopupPreviewProps) {
  const stageWidth = width === undefined ? `${100 / scale}%` : `${width}px`
  const properties: Properties = {
    ...popupProperties(popup),
    '--hp-popup-window-width': width === undefined ? '100%' : stageWidth,
    '--hp-popup-window-height': `${height}px`,
  }
  return (
    <div
      inert
      className="hp-visitor hp-popup-window"
      style={{ height: height * scale, ...(width !== undefined && { width: width * scale }) }}
    >
      <div
        className={`hp-popup-stage hp-popup-stage-${popup.position}`}
        style={{ ...properties, width: stageWidth, height, transform: `scale(${scale})` }}
      >
        <div
          className={`hp-popup-framed hp-popup-at-${popup.position} hp-popup-${popup.size_preset}`}
        >
          <PopupBody popup={popup} />
          <NoThanks popup={popup} />
        </div>
      </div>
    </div>
  )
}
