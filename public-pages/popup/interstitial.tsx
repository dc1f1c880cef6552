import './interstitial.css'
import { Avatar } from '#public-pages/bio/avatar.tsx'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'
import { hostOf } from '#public-pages/link/host-of.ts'
import { ownersText } from '#public-pages/owners-text.ts'
import { PageMark } from '#public-pages/frame/page-mark.tsx'
import { Popup, PopupThanks } from './popup.tsx'
import { ReportLink } from '#public-pages/report/report-link.tsx'
import type { OwnerView, PopupView } from '#public-pages/view-models.ts'

interface InterstitialProps {
  /** The name of the short link. */
  name: string
  destination: string
  popup: PopupView
  /** The owner of the link, when they have a bio page. */
  owner: OwnerView | undefined
}

/** The page between a short link with a popup and its destination. */
export function Interstitial({ name, destination, popup, owner }: InterstitialProps) {
  const { interstitial: texts } = useVisitorTexts()
  const host = hostOf(destination)
  return (
    <div className={`hp-way hp-way-beside-${popup.position}`}>
      {owner === undefined ? (
        <PageMark />
      ) : (
        <div className="hp-way-owner">
          <Avatar title={owner.title} url={owner.avatarUrl} />
          <p {...ownersText}>{owner.title}</p>
        </div>
      )}
      <h1 className="hp-way-title">{texts.heading()}</h1>
      <p className="hp-way-text">{texts.text()}</p>
      <PopupThanks popup={popup} />
      <a className="hp-way-on" href={destination} data-onward>
        {texts.continue({ host })}
      </a>
      <ReportLink name={name} />
      <Popup popup={popup} from={name} onward={host} />
    </div>
  )
}
