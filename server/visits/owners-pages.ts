import { LRUCache } from 'lru-cache'
import { createElement, Fragment } from 'react'
import { BioPage } from '#public-pages/bio-page.tsx'
import { popupProperties, styleRule, themeProperties } from '#public-pages/colours.ts'
import { Interstitial } from '#public-pages/interstitial.tsx'
import { Popup } from '#public-pages/popup.tsx'
import type { PopupView } from '#public-pages/view-models.ts'
import { ownersPage, type PageResponse } from './responses.ts'
import type { BioEntry, LinkEntry } from './name-entry.ts'
import { type PagePermissions, type PublicPage, publicPage } from '../http/public-page.ts'

/** The pages that owners made, rendered once per version: an entry is replaced when anything in it changes. */
export interface OwnersPages {
  /** Throws when it can't be rendered: then the visitor should go on to the destination. */
  interstitial(link: LinkEntry, popup: PopupView): PageResponse
  bio(page: BioEntry): PageResponse
}

const maxBytes = 64 * 1024 ** 2

/** `publicUrl` is asked for each time, because only a listening server knows its own. */
export function createOwnersPages(publicUrl: () => string): OwnersPages {
  const rendered = new LRUCache<LinkEntry | BioEntry, PageResponse>({
    maxSize: maxBytes,
    sizeCalculation: ({ plain, gzip }) => plain.body.length + gzip.body.length + 2_000,
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

// The canonical address is the destination: a search engine that comes by shall list that, never the page in between.
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
      colours: styleRule('.hp-popup', popupProperties(popup)),
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
      colours:
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
  const { imageUrl, collectEmail } = popup
  return {
    ...(collectEmail ? { formsTo: 'https:' } : {}),
    ...(imageUrl.startsWith('https:') ? { imageOrigin: new URL(imageUrl).origin } : {}),
  }
}
