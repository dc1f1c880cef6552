import { LRUCache } from 'lru-cache'
import { createElement } from 'react'
import { GonePage } from '#public-pages/gone.tsx'
import { routes } from '#domain/routes.ts'
import { styleRule, themeProperties } from '#public-pages/colors.ts'
import { DemoPage, demoView } from '#public-pages/demo-page.tsx'
import { type PublicPage, publicPage } from '../http/public-page.ts'

const rendered = new LRUCache<string, PublicPage>({ max: 1_000 })

/** The page for a link whose destination may not be followed; send it with status 410. */
export function gonePage(publicUrl: string, name: string): PublicPage {
  return renderOnce(`410 ${name} ${publicUrl}`, () =>
    publicPage(
      createElement(GonePage, { name }),
      {
        title: 'Link no longer available · Hoplet',
        description: 'This link leads nowhere any more.',
        publicUrl,
      },
      {},
    ),
  )
}

/** The page for `/demo`. */
export function demoPage(publicUrl: string): PublicPage {
  return renderOnce(`demo ${publicUrl}`, () => {
    const view = demoView(`${publicUrl}${routes.demo.href()}`)
    return publicPage(
      createElement(DemoPage, { page: view }),
      {
        title: `@${view.title} · Hoplet demo`,
        description: view.description,
        publicUrl,
        address: view.address,
        kind: 'profile',
      },
      { sheet: 'bio', scripted: true, colors: styleRule(':root', themeProperties(view.theme)) },
    )
  })
}

function renderOnce(key: string, render: () => PublicPage): PublicPage {
  const known = rendered.get(key)
  if (known) return known
  const page = render()
  rendered.set(key, page)
  return page
}
