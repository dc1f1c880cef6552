import type { Page } from 'playwright-core'

/** Follows the dots that hop over a page from now on. Returns the paths of all of them. */
export async function followHops(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const hops: string[] = []
    Object.assign(window, { hops })
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          if (node instanceof HTMLElement && node.dataset['hop'] !== undefined)
            hops.push(node.style.offsetPath)
    }).observe(document.body, { childList: true })
  })
  return () => page.evaluate(() => (window as unknown as { hops: string[] }).hops)
}
