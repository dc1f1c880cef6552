import type { PublicSite } from '../../http/public-site.ts'
import type { IncomingMessage } from 'node:http'
import { createElement, Fragment } from 'react'
import { routes } from '#domain/routes.ts'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import { BioPage } from '#public-pages/bio/bio-page.tsx'
import { ownerProperties, popupProperties, styleRule } from '#public-pages/colors.ts'
import { DemoPage, demoView } from '#public-pages/bio/demo-page.tsx'
import { DomainRootPage } from '#public-pages/domain-root.tsx'
import { GonePage } from '#public-pages/link/gone.tsx'
import { Interstitial } from '#public-pages/popup/interstitial.tsx'
import { fontRule, lookFont } from '#public-pages/bio/look-fonts.ts'
import { bioProperties } from '#public-pages/bio/looks.ts'
import { Popup, PopupThanks } from '#public-pages/popup/popup.tsx'
import type { PopupView } from '#public-pages/view-models.ts'
import {
  notFoundPage,
  type PagePermissions,
  pageTitle,
  type PublicPage,
  publicPage,
} from '../../http/public-page.ts'
import type { BioEntry, GoneEntry, LinkEntry } from '../names/name-entry.ts'
import {
  createAddressPageCache,
  createPageCache,
  type ShownAt,
  shownAt,
  type PlacePage,
} from './page-cache.ts'

const maxRenderedBytes = 64 * 1024 ** 2
/** Pages that are the same for all names of a host. */
const maxOwnBytes = 8 * 1024 ** 2
/** Each visit counts and gets the newest version. */
const ownersHeaders = { 'Cache-Control': 'private, no-cache' }
const noticeHeaders = { 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' }

/** The pages for visitors, in the encoding that the request accepts. */
export type VisitorPages = ReturnType<typeof createVisitorPages>

/**
 * Renders each page once.
 *
 * @param links the site of the server's own links
 */
export function createVisitorPages(own: PublicSite, links: PublicSite) {
  const render = createPageCache<LinkEntry | BioEntry | GoneEntry>(links, maxRenderedBytes)
  const renderOwn = createPageCache<PlacePage | 'demo'>(own, maxOwnBytes)
  const renderTo = createAddressPageCache<LinkEntry>(links, maxRenderedBytes)
  return {
    /** @throws when the popup cannot be rendered; the caller then redirects the visitor */
    interstitial(link: LinkEntry, to: string, popup: PopupView, request: IncomingMessage) {
      const head = { status: 200, headers: ownersHeaders }
      if (to === link.destination)
        return render(link, request, head, (at) => interstitialPage(link, to, popup, at))
      // An address that this visit chose is in the page.
      return renderTo(link, to, head, (address, at) => interstitialPage(link, address, popup, at))
    },
    bio: (page: BioEntry, request: IncomingMessage) =>
      render(page, request, { status: 200, headers: ownersHeaders }, (at) => bioPage(page, at)),
    /** The sample profile. */
    demo: (request: IncomingMessage) =>
      renderOwn('demo', request, { status: 200, headers: ownersHeaders }, demoPage),
    gone: (entry: GoneEntry, request: IncomingMessage) =>
      render(entry, request, { status: 410, headers: noticeHeaders }, (at) => gonePage(entry, at)),
    /** The root of a domain. */
    root: (request: IncomingMessage, site: PublicSite) =>
      renderOwn({ kind: 'root', site }, request, { status: 200, headers: noticeHeaders }, rootPage),
    /** @param at the site of a domain */
    notFound: (request: IncomingMessage, at?: PublicSite) => {
      const input: PlacePage = {
        kind: 'unknown-path',
        site: at?.appUrl === undefined ? undefined : at,
      }
      const head = { status: 404, headers: noticeHeaders }
      return renderOwn(input, request, head, ({ publicUrl, appUrl }) =>
        notFoundPage(publicUrl, appUrl),
      )
    },
  }
}

// The canonical address is the destination, so that search engines list it instead of this page.
function interstitialPage(link: LinkEntry, to: string, popup: PopupView, at: ShownAt): PublicPage {
  const { name, destination } = link
  const owner = link.popup?.owner
  return publicPage(
    createElement(Interstitial, { name, destination: to, popup, owner }),
    {
      title: pageTitle(visitorTexts(defaultLanguage).interstitial.heading()),
      description: popup.description || popup.title,
      ...shownAt(at),
      address: `${at.publicUrl}/${name}`,
      canonical: destination,
      picture: pictureOf(name, at.publicUrl),
    },
    {
      sheet: 'interstitial',
      scripted: true,
      colors:
        (owner ? styleRule(':root', ownerProperties(owner.theme)) : '') +
        styleRule('.hp-popup', popupProperties(popup)),
    },
    permissionsFor(popup),
  )
}

function bioPage({ view, popup, name }: BioEntry, at: ShownAt): PublicPage {
  const shown = popup?.view
  const { bio: texts } = visitorTexts(defaultLanguage)
  return publicPage(
    createElement(
      Fragment,
      null,
      createElement(BioPage, { page: view, name }),
      shown && createElement(PopupThanks, { popup: shown }),
      shown && createElement(Popup, { popup: shown, from: name }),
    ),
    {
      title: pageTitle(`@${view.title}`),
      description: view.description || texts.description({ title: view.title }),
      ...shownAt(at),
      address: view.address,
      picture: pictureOf(name, at.publicUrl),
      kind: 'profile',
      font: lookFont(view.look).path,
    },
    {
      sheet: shown ? 'bio-popup' : 'bio',
      scripted: true,
      colors:
        fontRule(lookFont(view.look)) +
        styleRule(':root', bioProperties(view)) +
        (shown ? styleRule('.hp-popup', popupProperties(shown)) : ''),
    },
    permissionsFor(shown),
  )
}

function demoPage({ publicUrl }: ShownAt): PublicPage {
  const texts = visitorTexts(defaultLanguage)
  const view = demoView(`${publicUrl}${routes.demo.href()}`, texts)
  return publicPage(
    createElement(DemoPage, { page: view }),
    {
      title: texts.demo.pageTitle({ title: view.title }),
      description: view.description,
      publicUrl,
      address: view.address,
      kind: 'profile',
      font: lookFont(view.look).path,
    },
    {
      sheet: 'bio',
      scripted: true,
      colors: fontRule(lookFont(view.look)) + styleRule(':root', bioProperties(view)),
    },
  )
}

function gonePage({ name }: GoneEntry, at: ShownAt): PublicPage {
  const { gone: texts } = visitorTexts(defaultLanguage)
  return publicPage(
    createElement(GonePage),
    {
      title: pageTitle(texts.title()),
      description: texts.description(),
      ...shownAt(at),
    },
    { report: name },
  )
}

function rootPage(at: ShownAt): PublicPage {
  const { domainRoot: texts } = visitorTexts(defaultLanguage)
  const { host } = new URL(at.publicUrl)
  return publicPage(
    createElement(DomainRootPage, { host }),
    { title: host, description: texts.description({ host }), ...shownAt(at) },
    {},
  )
}

function pictureOf(name: string, publicUrl: string): string {
  return `${publicUrl}/og/${name}.png`
}

function permissionsFor(popup: PopupView | undefined): PagePermissions {
  if (popup === undefined) return {}
  const { image_url, collect_email, cta_url } = popup
  return {
    ...(collect_email ? { formsTo: cta_url === '' ? 'us' : 'anywhere' } : {}),
    ...(image_url?.startsWith('https:') ? { imageOrigin: new URL(image_url).origin } : {}),
  }
}
