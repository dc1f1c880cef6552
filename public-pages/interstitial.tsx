import './interstitial.css'
import { Popup } from './popup.tsx'
import { ReportLink } from './report-link.tsx'
import type { PopupView } from './view-models.ts'

interface InterstitialProps {
  /** The name of the short link. */
  name: string
  destination: string
  popup: PopupView
}

/** The page between a short link with a popup and its destination. */
export function Interstitial({ name, destination, popup }: InterstitialProps) {
  return (
    <div className="hp-way">
      <svg viewBox="0 0 32 32" className="hp-way-mark" aria-hidden="true">
        <path d="M6 23C7.5 2.5 21.5 -0.5 25.2 15.4" className="hp-way-arc" />
        <circle cx="6" cy="25" r="4" className="hp-way-dot" />
        <circle cx="26" cy="25" r="4" className="hp-way-goal" />
      </svg>
      <h1 className="hp-way-title">Redirecting...</h1>
      <p className="hp-way-text">Taking you to your destination</p>
      <a className="hp-way-on" href={destination} data-onward>
        Continue to {hostOf(destination)}
      </a>
      <ReportLink name={name} />
      <Popup popup={popup} />
    </div>
  )
}

function hostOf(url: string): string {
  return /^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? url
}
