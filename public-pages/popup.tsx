import './popup.css'
import { popupProperties } from './colors.ts'
import { LineIcon } from './icon.tsx'
import { MadeWith } from './made-with.tsx'
import { ownersText } from './owners-text.ts'
import type { PopupView } from './view-models.ts'

/** The popup that visitors get: a native dialog, opened by the page's script; without JavaScript, a part of the page. */
export function Popup({ popup }: { popup: PopupView }) {
  return (
    <dialog
      className={`hp-popup hp-popup-at-${popup.position} hp-popup-${popup.size_preset}`}
      aria-labelledby="hp-popup-title"
      aria-describedby={popup.description === '' ? undefined : 'hp-popup-description'}
      data-popup={popup.id}
      data-delay={popup.trigger_delay}
    >
      <PopupCard popup={popup} />
    </dialog>
  )
}

/** The popup in the editor, in a frame that shows its position. It does not react to input. */
export function PopupPreview({ popup }: { popup: PopupView }) {
  return (
    <div
      inert
      className={`hp-popup-stage hp-popup-stage-${popup.position}`}
      style={popupProperties(popup)}
    >
      <div className={`hp-popup-framed hp-popup-${popup.size_preset}`}>
        <PopupCard popup={popup} />
      </div>
    </div>
  )
}

function PopupCard({ popup }: { popup: PopupView }) {
  const { title, description, image_url, font_style, shadow_style } = popup
  return (
    <div className={`hp-popup-card hp-popup-font-${font_style} hp-popup-shadow-${shadow_style}`}>
      <button type="button" className="hp-popup-close" aria-label="Close" data-close>
        <LineIcon name="close" size={18} />
      </button>
      <div className="hp-popup-scroll" tabIndex={-1}>
        {image_url === null ? null : <img className="hp-popup-image" src={image_url} alt="" />}
        <h2 className="hp-popup-title" id="hp-popup-title" {...ownersText}>
          {title}
        </h2>
        {description === '' ? null : (
          <p className="hp-popup-description" id="hp-popup-description" {...ownersText}>
            {description}
          </p>
        )}
        <div className="hp-popup-action">
          <PopupAction popup={popup} />
          {popup.marked ? <MadeWith /> : null}
        </div>
      </div>
    </div>
  )
}

function PopupAction({ popup }: { popup: PopupView }) {
  const { cta_text, cta_url } = popup
  // Not `noreferrer` on the form: it makes the browser send `Origin: null`, which form services refuse.
  if (popup.collect_email && (cta_url === '' || cta_url.startsWith('https:'))) {
    return (
      <form
        className="hp-popup-form"
        method="post"
        action={cta_url === '' ? undefined : cta_url}
        target="_blank"
        rel="noopener"
        data-cta
      >
        <input
          className="hp-popup-email"
          type="email"
          name="email"
          required
          maxLength={254}
          autoComplete="email"
          placeholder="Enter your email"
          aria-label="Email address"
        />
        <button type="submit" className="hp-popup-button" {...ownersText}>
          {cta_text}
        </button>
        {cta_url === '' ? null : (
          <p className="hp-popup-host">Your email address is sent to {hostOf(cta_url)}</p>
        )}
      </form>
    )
  }
  if (cta_url === '') {
    return (
      <button type="button" className="hp-popup-button" data-close {...ownersText}>
        {cta_text}
      </button>
    )
  }
  return (
    <a
      className="hp-popup-button"
      href={cta_url}
      target="_blank"
      rel="noopener noreferrer"
      data-cta
      {...ownersText}
    >
      {cta_text}
    </a>
  )
}

function hostOf(url: string): string {
  return /^https?:\/\/([^/?#]+)/.exec(url)?.[1] ?? url
}
