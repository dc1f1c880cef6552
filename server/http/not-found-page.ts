import { LRUCache } from 'lru-cache'
import { createElement } from 'react'
import { NotFoundPage } from '#public-pages/not-found.tsx'
import { type PublicPage, publicPage } from './public-page.ts'

// A server has one public address; tests in one process have several.
const rendered = new LRUCache<string, PublicPage>({ max: 10 })

/** The page for `/404` and unknown paths, rendered once per public address; send it with status 404. */
export function notFoundPage(publicUrl: string): PublicPage {
  const known = rendered.get(publicUrl)
  if (known) return known
  const page = publicPage(
    createElement(NotFoundPage),
    { title: 'Page not found · Hoplet', description: 'There is no such page.', publicUrl },
    {},
  )
  rendered.set(publicUrl, page)
  return page
}
