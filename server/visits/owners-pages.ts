import { LRUCache } from 'lru-cache'
import { createElement, Fragment } from 'react'
import { BioPage } from '#public-pages/bio-page.tsx'
import { popupProperties, styleRule, themeProperties } from '#public-pages/colors.ts'
import { Interstitial } from '#public-pages/interstitial.tsx'
import { Popup } from '#public-pages/popup.tsx'
import type { PopupView } from '#public-pages/view-models.ts'
import { ownersPage, type PageResponse } from './responses.ts'
import type { BioEntry, LinkEntry } from './name-entry.ts'
import { type PagePermissions, type PublicPage, publicPage } from '../http/public-page.ts'

/** The owners' pages, rendered once per version: any change replaces the entry, and with it the rendered page. */
export interface OwnersPages {
  /** @throws when the popup cannot be rendered; the caller then redirects the visitor. */
  interstitial(link: LinkEntry, popup: PopupView): PageResponse
  bio(page: BioEntry): PageResponse
}

const maxRenderedBytes = 64 * 1024 ** 2
/** Headers and bookkeeping of one rendered page, roughly. */
const overheadBytes = 2_000

/** `publicUrl` is a function because a server without PUBLIC_URL knows its address only once it listens. */
export function createOwnersPages(publicUrl: () => string): OwnersPages {
  const rendered = new LRUCache<LinkEntry | BioEntry, PageResponse>({
    maxSize: maxRenderedBytes,
    sizeCalculation: ({ plain, gzip }) => plain.body.length + gzip.body.length + overheadBytes,
  })
  const keep = (entry: LinkEntry | BioEntry, render: (url: string) => PublicPage): PageResponse => {
    const known = rendered.get(entry)
    if (known) return known
    const made = ownersPage(publicUrl(), render(publicUrl()))
    rendered.set(entry, made)
    return made
  }
  return {
    interstitial: (link, popup) => keep(link, (url) => interstitialPage(link, popup, url)),
    bio: (page) => keep(page, (url) => bioPage(page, url)),
  }
}

// The canonical address is the destination, so that search engines list it instead of this page.
function interstitialPage(link: LinkEntry, popup: PopupView, publicUrl: string): PublicPage {
  return publicPage(
    createElement(Interstitial, { name: link.name, destination: link.destination, popup }),
    {
      title: 'Redirecting... · Hoplet',
      description: popup.description || popup.title,
      publicUrl,
      address: `${publicUrl}/${link.name}`,
      canonical: link.destination,
      picture: pictureOf(link.name, publicUrl),
    },
    {
      sheet: 'interstitial',
      scripted: true,
      colors: styleRule('.hp-popup', popupProperties(popup)),
    },
    permissionsFor(popup),
  )
}

function bioPage({ view, popup, name }: BioEntry, publicUrl: string): PublicPage {
  const shown = popup?.view
  return publicPage(
    createElement(
      Fragment,
      null,
      createElement(BioPage, { page: view, name }),
      shown && createElement(Popup, { popup: shown }),
    ),
    {
      title: `@${view.title} · Hoplet`,
      description: view.description || `The links of @${view.title}, all in one place.`,
      publicUrl,
      address: view.address,
      picture: pictureOf(name, publicUrl),
      kind: 'profile',
    },
    {
      sheet: shown ? 'bio-popup' : 'bio',
      scripted: true,
      colors:
        styleRule(':root', themeProperties(view.theme)) +
        (shown ? styleRule('.hp-popup', popupProperties(shown)) : ''),
    },
    permissionsFor(shown),
  )
}

function pictureOf(name: string, publicUrl: string): string {
  return `${publicUrl}/og/${name}.png`
}

function permissionsFor(popup: PopupView | undefined): PagePermissions {
  if (popup === undefined) return {}
  const { image_url, collect_email } = popup
  return {
    ...(collect_email ? { formsTo: 'https:' } : {}),
    ...(image_url?.startsWith('https:') ? { imageOrigin: new URL(image_url).origin } : {}),
  }
}
