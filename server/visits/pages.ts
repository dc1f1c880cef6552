import { LRUCache } from 'lru-cache'
import { createElement, type ReactElement } from 'react'
import { GonePage } from '#public-pages/gone.tsx'
import { NotFoundPage } from '#public-pages/not-found.tsx'
import { routes } from '#domain/routes.ts'
import { styleRule, themeProperties } from '#public-pages/colours.ts'
import { DemoPage, demoView } from '#public-pages/demo-page.tsx'
import { type PublicPage, publicPage } from './public-page.ts'

const rendered = new LRUCache<string, PublicPage>({ max: 1_000 })

/** What `/404` and unknown paths show, rendered once per public address; to be sent with status 404. */
export function notFoundPage(publicUrl: string): PublicPage {
  return page('404', publicUrl, createElement(NotFoundPage), {
    title: 'Page not found · Hoplet',
    description: 'There is no such page.',
  })
}

/** What a link shows whose destination may not be followed; to be sent with status 410. */
export function gonePage(publicUrl: string, name: string): PublicPage {
  return page(`410 ${name}`, publicUrl, createElement(GonePage, { name }), {
    title: 'Link no longer available · Hoplet',
    description: 'This link leads nowhere any more.',
  })
}

/** What `/demo` shows, rendered once per public address. */
export function demoPage(publicUrl: string): PublicPage {
  const key = `demo ${publicUrl}`
  const known = rendered.get(key)
  if (known) return known
  const view = demoView(`${publicUrl}${routes.demo.href()}`)
  const made = publicPage(
    createElement(DemoPage, { page: view }),
    {
      title: `@${view.title} · Hoplet demo`,
      description: view.description,
      publicUrl,
      address: view.address,
      kind: 'profile',
    },
    { sheet: 'bio', scripted: true, colours: styleRule(':root', themeProperties(view.theme)) },
  )
  rendered.set(key, made)
  return made
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
  const made = publicPage(content, { ...about, publicUrl }, {})
  rendered.set(key, made)
  return made
}
