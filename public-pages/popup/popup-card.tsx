import './popup.css'
import './popup-card.css'
import { hostOf } from '#public-pages/link/host-of.ts'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'
import { LineIcon } from '#public-pages/frame/icon.tsx'
import { MadeWith } from '#public-pages/frame/made-with.tsx'
import { ownersText } from '#public-pages/owners-text.ts'
import { uncorrected } from '#public-pages/uncorrected.ts'
import type { PopupView } from '#public-pages/view-models.ts'

/** Below a popup that covers the page: its X in words. */
export function NoThanks({ popup, onward }: { popup: PopupView; onward?: string | undefined }) {
  const { popup: texts } = useVisitorTexts()
  if (popup.position !== 'center') return null
  return (
    <button type="button" className="hp-popup-no" data-close="closed-later">
      {onward === undefined ? texts.noThanks() : texts.noThanksContinue({ host: onward })}
    </button>
  )
}

/** `from`: the name of the link or page that shows it; its words then name the dialog around it. */
export function PopupBody({ popup, from }: { popup: PopupView; from?: string }) {
  const { popup: texts } = useVisitorTexts()
  const named = from !== undefined
  const { title, description, image_url, font_style, shadow_style } = popup
  return (
    <div className={`hp-popup-card hp-popup-font-${font_style} hp-popup-shadow-${shadow_style}`}>
      <button
        type="button"
        className="hp-popup-close"
        aria-label={texts.close()}
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
          <PopupAction popup={popup} from={from} />
          {popup.marked ? <MadeWith /> : null}
        </div>
      </div>
    </div>
  )
}

function PopupAction({ popup, from }: { popup: PopupView; from: string | undefined }) {
  const { cta_text, cta_url } = popup
  if (popup.collect_email && (cta_url === '' || cta_url.startsWith('https:')))
    return <EmailForm popup={popup} from={from} />
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

/** Sends an address to the owner, to Hoplet, or to both: then the page's script does the second (popup-emails.ts). */
function EmailForm({ popup, from }: { popup: PopupView; from: string | undefined }) {
  const { popup: texts } = useVisitorTexts()
  const { id, version, cta_text, cta_url, keep_emails, consent_text } = popup
  const keeps = `/audience/join/${id}`
  // Not `noreferrer` on the form: it makes the browser send `Origin: null`, which form services refuse.
  const target =
    cta_url === '' ? { action: keeps } : { action: cta_url, target: '_blank', rel: 'noopener' }
  const kept = keep_emails ? { 'data-keep': keeps, 'data-version': version } : {}
  return (
    <form className="hp-popup-form" method="post" data-cta {...target} {...kept}>
      <input
        className="hp-popup-email"
        type="email"
        name="email"
        required
        maxLength={254}
        autoComplete="email"
        {...uncorrected}
        placeholder={texts.emailPlaceholder()}
        aria-label={texts.emailLabel()}
      />
      {cta_url === '' ? (
        <>
          <input type="hidden" name="version" value={version} />
          <input type="hidden" name="from" value={from} />
        </>
      ) : null}
      <button type="submit" className="hp-popup-button" {...ownersText}>
        {cta_text}
      </button>
      <p className="hp-popup-problem" role="alert" hidden />
      {keep_emails ? (
        <p className="hp-popup-host" {...ownersText}>
          {consent_text}
        </p>
      ) : null}
      {cta_url === '' ? null : (
        <p className="hp-popup-host">{texts.emailIsSent({ host: hostOf(cta_url) })}</p>
      )}
    </form>
  )
}
