import { createHash } from 'node:crypto'
import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import bioCss from './bio-page.css?inline'
import documentCss from './document.css?inline'
import { type AboutPage, PublicDocument } from './document.tsx'
import interstitialCss from './interstitial.css?inline'
import madeWithCss from './made-with.css?inline'
import popupCss from './popup.css?inline'
import { runPopupScript } from './popup-script.ts'
import noticeCss from './public.css?inline'
import reportCss from './report-page.css?inline'
import sandboxCss from './sandbox/sandbox.css?inline'
import { runShareScript } from './share-script.ts'

const sheets = {
  notice: `${documentCss}${noticeCss}`,
  bio: `${documentCss}${bioCss}${madeWithCss}html{background:var(--hp-bio-background);color-scheme:light}`,
  'bio-popup': `${documentCss}${bioCss}${popupCss}${madeWithCss}html{background:var(--hp-bio-background);color-scheme:light}`,
  report: `${documentCss}${reportCss}`,
  sandbox: `${documentCss}${sandboxCss}`,
  interstitial: `${documentCss}${interstitialCss}${popupCss}${madeWithCss}`,
}

// Without JavaScript a popup is part of the page, and controls that need JavaScript are hidden.
const withoutScript =
  '.hp-popup{display:block;position:static;margin:2rem auto;width:min(var(--hp-popup-width),100%)}.hp-popup-close{display:none}.hp-popup-card{height:auto;max-height:none}.hp-popup-scroll{padding-top:1.75rem}'

const script = `(${String(runPopupScript)})();(${String(runShareScript)})()`
const scriptHash = sourceOf(script)
const withoutScriptHash = sourceOf(withoutScript)

export interface PublicPageOptions {
  /** Which style sheet; the default is the one for notices. */
  sheet?: keyof typeof sheets
  /** The owner's colors as rules, from validated values (colors.ts). */
  colors?: string
  /** Includes the scripts of popups and share dialogs. */
  scripted?: boolean
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
  { sheet = 'notice', colors = '', scripted = false }: PublicPageOptions = {},
): RenderedPage {
  const css = `${sheets[sheet]}${colors}`
  const document = (
    <PublicDocument
      {...about}
      css={css}
      script={scripted ? script : undefined}
      withoutScript={scripted ? withoutScript : undefined}
    >
      {page}
    </PublicDocument>
  )
  return {
    html: `<!doctype html>${renderToStaticMarkup(document)}`,
    styleHashes: [sourceOf(css), ...(scripted ? [withoutScriptHash] : [])],
    scriptHashes: scripted ? [scriptHash] : [],
  }
}

/** The hash of an inline element's exact content, as a source for the content security policy. */
function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
