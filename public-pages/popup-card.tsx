import './popup.css'
import './popup-card.css'
import { hostOf } from './host-of.ts'
import { LineIcon } from './icon.tsx'
import { MadeWith } from './made-with.tsx'
import { ownersText } from './owners-text.ts'
import type { PopupView } from './view-models.ts'

/** Below a popup that covers the page: its X in words. */
export function NoThanks({ popup, onward }: { popup: PopupView; onward?: string | undefined }) {
  if (popup.position !== 'center') return null
  return (
    <button type="button" className="hp-popup-no" data-close="closed-later">
      {onward === undefined ? 'No thanks' : `No thanks, continue to ${onward}`}
    </button>
  )
}

/** `named`: its words name the dialog around it. */
export function PopupBody({ popup, named = false }: { popup: PopupView; named?: boolean }) {
  const { title, description, image_url, font_style, shadow_style } = popup
  return (
    <div className={`hp-popup-card hp-popup-font-${font_style} hp-popup-shadow-${shadow_style}`}>
      <button
        type="button"
        className="hp-popup-close"
        aria-label="Close"
        data-close="closed-button"
      >
        <LineIcon name="close" size={18} />
      </button>
      <div className="hp-popup-scroll" tabIndex={-1}>
        {image_url === null ? null : <img className="hp-popup-image" src={image_url} alt="" />}
        <h2 className="hp-popup-title" id={named ? 'hp-popup-title' : undefined} {...ownersText}>
          {title}
        </h2>
        {description === '' ? null : (
          <p
            className="hp-popup-description"
            id={named ? 'hp-popup-description' : undefined}
            {...ownersText}
          >
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
      <button type="button" className="hp-popup-button" data-close="clicked" {...ownersText}>
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
