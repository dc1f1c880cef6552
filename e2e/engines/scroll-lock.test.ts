/** @module-tag extended */
import { expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { plantBio } from '#test/pages/plant.ts'
import { plantLinks } from '#test/visits/plant.ts'
import type { EnginePage } from './engine-page.ts'
import { inEachEngine } from './engine-stage.ts'
import type { EngineName } from './engines.ts'

/**
 * Turns the wheel in the corner of the window, beside every dialog, and gives the way that the page scrolled. The driver of
 * WebKit has no wheel: there the style must answer.
 */
async function scrolledBy(page: EnginePage, engine: EngineName): Promise<number> {
  const before = await page.run(() => window.scrollY)
  if (engine === 'WebKit')
    await page.run(() => {
      if (getComputedStyle(document.documentElement).overflowY !== 'hidden') scrollBy(0, 200)
    })
  else await page.wheel(20, 20, 200)
  // The page scrolls in steps: two frames and a moment are enough for the first.
  await page.run(() => new Promise((resolve) => setTimeout(resolve, 300)))
  return (await page.run(() => window.scrollY)) - before
}

const widthOf = (page: EnginePage) => page.run(() => document.body.getBoundingClientRect().width)

inEachEngine('the page behind', (stage) => {
  it('a dialog of the app stays where it is, and scrolls again afterwards', async () => {
    const { server, engine } = stage
    const user = await makeUser(server)
    await plantLinks(
      server.sql,
      Array.from({ length: 40 }, (_, i) => ({
        code: `${engine}-lock-${i}`.toLowerCase(),
        url: 'https://example.com/',
      })),
      user.id,
    )
    for (const [width, height] of [
      [1280, 900],
      [360, 780],
    ] as const) {
      const page = await stage.open({ user, width, height })
      await page.goto('/dashboard')
      await page.seeText('example.com', 'article')
      await expect.poll(() => scrolledBy(page, stage.engine)).toBeGreaterThan(0)
      const before = await widthOf(page)
      await page.key('n')
      await page.see({ kind: 'field', name: 'Destination', within: 'dialog[open]' })
      expect(await scrolledBy(page, stage.engine)).toBe(0)
      expect(await widthOf(page)).toBe(before)
      await page.key('Escape')
      await page.until(() => document.querySelector('dialog[open]') === null)
      await expect.poll(() => scrolledBy(page, stage.engine)).toBeGreaterThan(0)
    }
  })

  it('a popup and the share dialog of a bio page stays where it is', async () => {
    const { slug } = await plantBio(stage.server.sql, {
      links: Array.from({ length: 30 }, (_, i) => [`Link ${i}`, 'https://example.com/']),
      popup: { title: 'Hello', position: 'center' },
    })
    const page = await stage.open()
    await page.goto(`/${slug}`)
    await page.seeText('Hello', 'dialog')
    const before = await widthOf(page)
    expect(await scrolledBy(page, stage.engine)).toBe(0)
    await page.press('button', 'No thanks')
    await expect.poll(() => scrolledBy(page, stage.engine)).toBeGreaterThan(0)
    expect(await widthOf(page)).toBe(before)
    await page.run(() => window.scrollTo(0, 0))
    await page.press('button', 'Share')
    await page.until(() => document.querySelector('dialog.hp-share:modal') !== null)
    expect(await scrolledBy(page, stage.engine)).toBe(0)
    expect(await widthOf(page)).toBe(before)
  })
})
