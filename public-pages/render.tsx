import { createHash } from 'node:crypto'
import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { qrParameter } from '#domain/links/qr-address.ts'
import { defaultLanguage, type TextLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import bioCss from './bio/bio-page.css?inline'
import ownDocumentCss from './frame/document.css?inline'
import { type AboutPage, PublicDocument } from './frame/document.tsx'
import interstitialCss from './popup/interstitial.css?inline'
import linkCss from './link/link-pages.css?inline'
import madeWithCss from './frame/made-with.css?inline'
import pageFrameCss from './frame/page-frame.css?inline'
import popupCardCss from './popup/popup-card.css?inline'
import popupPlaceCss from './popup/popup.css?inline'
import docsCss from './docs-page.css?inline'
import { createPopupBeacon } from './popup/popup-beacon.ts'
import { createEmailKeeper } from './popup/popup-emails.ts'
import { makeRoomForPopup } from './popup/popup-room.ts'
import { runPopupScript } from './popup/popup-script.ts'
import { createShownPopups } from './popup/popup-session.ts'
import { thankVisitor } from './popup/popup-thanks.ts'
import { removeQrMarker } from './share/qr-marker-script.ts'
import noticeCss from './frame/public.css?inline'
import reportCss from './report/report-page.css?inline'
import sandboxCss from './sandbox/sandbox.css?inline'
import sharedReportCss from './report/shared/shared-report-page.css?inline'
import shareCss from './share/share-dialog.css?inline'
import { runShareScript, type ShareWords } from './share/share-script.ts'
import { AppAddress } from './frame/app-address.ts'
import { VisitorLanguage } from './frame/visitor-language.ts'
import visitorCss from './frame/visitor.css?inline'

const documentCss = `${visitorCss}${ownDocumentCss}`
const popupCss = `${popupPlaceCss}${popupCardCss}`
const framedCss = `${documentCss}${pageFrameCss}`

const bioSheet = `${documentCss}${bioCss}${shareCss}${madeWithCss}`

const sheets = {
  notice: `${framedCss}${noticeCss}`,
  link: `${framedCss}${noticeCss}${linkCss}`,
  bio: `${bioSheet}html{background:var(--hp-bio-background);color-scheme:light}`,
  'bio-popup': `${bioSheet}${popupCss}html{background:var(--hp-bio-background);color-scheme:light}`,
  report: `${framedCss}${reportCss}`,
  docs: `${framedCss}${docsCss}`,
  sandbox: `${framedCss}${sandboxCss}`,
  shared: `${documentCss}${sharedReportCss}`,
  interstitial: `${framedCss}${interstitialCss}${popupCss}${madeWithCss}`,
}

const framedSheets = new Set<keyof typeof sheets>(['notice', 'link', 'docs', 'report', 'sandbox'])

// Without JavaScript a popup is part of the page, and controls that need JavaScript are hidden.
const withoutScript =
  '.hp-popup{display:block;position:static;margin:2rem auto;width:min(var(--hp-popup-width),100%);max-height:none}.hp-popup-close,.hp-popup-no{display:none}.hp-popup-card{height:auto;max-height:none}.hp-popup-scroll{padding-top:1.75rem}'

/** The scripts of visitors' pages, with the words that they say. */
function scriptIn(language: TextLanguage): string {
  const { popup, share } = visitorTexts(language)
  const shareWords: ShareWords = {
    copyLink: share.copyLink(),
    copied: share.copied(),
    copiedStatus: share.copiedStatus(),
    copyFailed: share.copyFailed(),
    copyFailedStatus: share.copyFailedStatus(),
    pasteStatus: share.pasteStatus(),
    copyAboveStatus: share.copyAboveStatus(),
  }
  const popupParts = [
    `report:(${String(createPopupBeacon)})()`,
    `shown:(${String(createShownPopups)})()`,
    `makeRoom:${String(makeRoomForPopup)}`,
    `thank:${String(thankVisitor)}`,
    `keep:(${String(createEmailKeeper)})(${literal(popup.emailNotSaved())})`,
  ].join()
  return [
    `(${String(removeQrMarker)})(${literal(qrParameter)})`,
    `(${String(runPopupScript)})({${popupParts}})`,
    `(${String(runShareScript)})(${literal(shareWords)})`,
  ].join(';')
}

/** A value as source text, which cannot end the element around it. */
function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`)
}

const withoutScriptHash = sourceOf(withoutScript)

export interface PublicPageOptions {
  /** Which style sheet; the default is the one for notices. */
  sheet?: keyof typeof sheets
  /** The owner's colors as rules, from validated values (colors.ts). */
  colors?: string
  /** Name that the Report link in the footer reports (page-frame.tsx). */
  report?: string
  /** Includes the scripts of visitors' pages: popups, share dialogs, the marker of QR codes. */
  scripted?: boolean
  language?: TextLanguage
}

export interface RenderedPage {
  html: string
  /** The sources that the page's style-src and script-src need. */
  styleHashes: readonly string[]
  scriptHashes: readonly string[]
}

/** Renders a public page to a complete document. It contains no React, only the small scripts above. */
export function renderPublicPage(
  page: ReactElement,
  about: AboutPage,
  {
    sheet = 'notice',
    colors = '',
    scripted = false,
    report,
    language = defaultLanguage,
  }: PublicPageOptions = {},
): RenderedPage {
  const script = scripted ? scriptIn(language) : undefined
  const css = `${sheets[sheet]}${colors}`
  const document = (
    <PublicDocument
      {...about}
      language={language}
      css={css}
      script={script}
      withoutScript={scripted ? withoutScript : undefined}
      framed={framedSheets.has(sheet)}
      report={report}
    >
      {page}
    </PublicDocument>
  )
  return {
    html: `<!doctype html>${renderToStaticMarkup(
      <AppAddress value={about.appUrl ?? ''}>
        <VisitorLanguage value={language}>{document}</VisitorLanguage>
      </AppAddress>,
    )}`,
    styleHashes: [sourceOf(css), ...(scripted ? [withoutScriptHash] : [])],
    scriptHashes: script === undefined ? [] : [sourceOf(script)],
  }
}

/** The hash of an inline element's exact content, as a source for the content security policy. */
function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
