import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAccessible, widthsOf } from './browser.ts'

/**
 * The current state of a screen, in both themes: accessible, and not wider than the window. With
 * `PICTURES=folder` there are pictures of it, in both widths.
 */
export async function look(page: Page, name: string): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 900 }
  for (const theme of ['light', 'dark'] as const) {
    // The app goes by the person's choice, as another tab would make it; the pages around it by the system. A class set
    // here would not last: the app puts its own back when the system changes.
    await page.emulateMedia({ colorScheme: theme })
    await page.evaluate((chosen) => {
      localStorage.setItem('theme', chosen)
      window.dispatchEvent(new StorageEvent('storage', { key: 'theme' }))
    }, theme)
    for (const width of process.env.PICTURES ? [360, 1280] : widthsOf(theme)) {
      await page.setViewportSize({ width, height: before.height })
      await page.waitForTimeout(250)
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overflow, name).toBeLessThanOrEqual(0)
      if (process.env.PICTURES)
        await page.screenshot({ path: `${process.env.PICTURES}/${name}-${width}-${theme}.png` })
    }
    await expectAccessible(page)
  }
  await page.setViewportSize(before)
}
