import { hostOf } from '#public-pages/link/host-of.ts'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'
import { NoThanks, PopupBody } from './popup-card.tsx'
import type { PopupView } from '#public-pages/view-models.ts'

interface PopupProps {
  popup: PopupView
  /** The name of the link or page that shows it. */
  from: string
  /** The host that the visitor goes on to; a bio page has none. */
  onward?: string
}

/** The popup that visitors get: a native dialog, opened by the page's script; without JavaScript, a part of the page. */
export function Popup({ popup, from, onward }: PopupProps) {
  return (
    <dialog
      className={`hp-popup hp-popup-at-${popup.position} hp-popup-${popup.size_preset}`}
      aria-labelledby="hp-popup-title"
      aria-describedby={popup.description === '' ? undefined : 'hp-popup-description'}
      data-popup={popup.id}
      data-delay={popup.trigger_delay}
    >
      <PopupBody popup={popup} from={from} />
      <NoThanks popup={popup} onward={onward} />
    </dialog>
  )
}

/** Empty until the visitor has given an email address; then the page's script lets it say thank you. */
export function PopupThanks({ popup }: { popup: PopupView }) {
  const { popup: texts } = useVisitorTexts()
  if (!popup.collect_email) return null
  const thanks =
    popup.cta_url === '' ? texts.emailSaved() : texts.emailSent({ host: hostOf(popup.cta_url) })
  return <output className="hp-popup-thanks" data-thanks={thanks} />
}
