/** @module-tag extended */
import { expect, it } from 'vitest'
import { plantBio, plantPopupLink } from '#test/pages/plant.ts'
import type { EnginePage } from './engine-page.ts'
import { inEachEngine } from './engine-stage.ts'

const sizes = ['small', 'medium', 'large', 'extra-large', 'full-width', 'compact', 'tall']
const positions = ['center', 'top', 'bottom', 'bottom-right', 'bottom-left']
const windows = [
  [1280, 900],
  [360, 780],
  [844, 390],
] as const

const cta_text = 'Claim my discount'
const long = 'Everything in the shop costs less until Sunday, and shipping is on us. '.repeat(5)
const contents = {
  'a few words': { title: 'Everything costs less', description: 'Shipping is on us.' },
  'long texts and a form': {
    title: long.slice(0, 199),
    description: long.slice(0, 300),
    collect_email: true,
  },
}

/** Gives the open popup another size, as if its owner had chosen it, and measures its card. */
const cardOfSize = (page: EnginePage, size: string) =>
  page.run((wanted) => {
    const popup = document.querySelector('.hp-popup')
    const [place] = /hp-popup-at-\S+/.exec(popup?.className ?? '') ?? []
    popup?.setAttribute('class', `hp-popup ${place} hp-popup-${wanted}`)
    dispatchEvent(new Event('resize'))
    const card = document.querySelector('.hp-popup-card')?.getBoundingClientRect()
    return { top: card?.top ?? 0, bottom: card?.bottom ?? 0, height: card?.height ?? 0 }
  }, size)

inEachEngine('a popup', (stage) => {
  const cases = ['a link', 'a bio page'].flatMap((where) =>
    positions.flatMap((position) =>
      Object.entries(contents).map(([words, content]) => ({ where, position, words, content })),
    ),
  )
  it.for(cases)('shows $words and its button: $position, on $where', async (each) => {
    const { where, position, content } = each
    const popup = { ...content, cta_text, cta_url: 'https://shop.example/sale', position }
    const name =
      where === 'a link'
        ? (await plantPopupLink(stage.server.sql, popup)).code
        : (await plantBio(stage.server.sql, { popup })).slug
    const page = await stage.open()
    await page.goto(`/${name}`)
    await page.seeText(popup.title.slice(0, 20), 'dialog')
    for (const [width, height] of windows) {
      await page.resize(width, height)
      for (const size of sizes) {
        const card = await cardOfSize(page, size)
        const what = `${size}, ${width} by ${height}`
        expect(card.height, what).toBeGreaterThan(120)
        expect([Math.min(card.top, 0), Math.max(card.bottom, height)], what).toEqual([0, height])
        const kind = 'collect_email' in content ? 'button' : 'link'
        await page.see({ kind, name: cta_text, within: 'dialog' })
      }
    }
  })
})
