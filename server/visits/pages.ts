import { createElement, type ReactElement } from 'react'
import { GonePage } from '#public-pages/gone.tsx'
import { NotFoundPage } from '#public-pages/not-found.tsx'
import { renderPublicPage } from '#public-pages/render.tsx'

/** A whole document for a visitor, and the Content-Security-Policy it needs: nothing runs in it, nothing frames it. */
export interface PublicPage {
  html: string
  policy: string
}

const rendered = new Map<string, PublicPage>()

/** What `/404` and unknown paths show, rendered once per public address; to be sent with status 404. */
export function notFoundPage(publicUrl: string): PublicPage {
  return page('404', publicUrl, createElement(NotFoundPage), {
    title: 'Page not found · Hoplet',
    description: 'There is no such page.',
  })
}

/** What a link shows whose destination may not be followed; to be sent with status 410. */
export function gonePage(publicUrl: string): PublicPage {
  return page('410', publicUrl, createElement(GonePage), {
    title: 'Link no longer available · Hoplet',
    description: 'This link leads nowhere any more.',
  })
}

function page(
  name: string,
  publicUrl: string,
  content: ReactElement,
  about: { title: string; description: string },
): PublicPage {
  const key = `${name} ${publicUrl}`
  const known = rendered.get(key)
  if (known) return known
  const { html, styleHashes } = renderPublicPage(content, { ...about, publicUrl })
  const made = {
    html,
    policy: [
      "default-src 'none'",
      `style-src ${styleHashes.join(' ')}`,
      "img-src 'self'",
      "font-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  }
  rendered.set(key, made)
  return made
}
