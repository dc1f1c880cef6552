import type { Page } from 'playwright-core'

/**
 * Translates a page as Chrome does, for as long as it lives: each text node is replaced by two nested `<font>` elements
 * with its text, new texts and changed ones too. The words stay, so that a test can find them.
 */
export async function translatePages(page: Page): Promise<void> {
  await page.context().addInitScript(() => {
    const left = 'script, style, textarea, title, noscript, option, font'
    const translate = (root: Node) => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
      const texts: Text[] = []
      for (let node = walker.currentNode; ;) {
        if (node instanceof Text) texts.push(node)
        const next = walker.nextNode()
        if (next === null) break
        node = next
      }
      for (const text of texts) {
        if (text.data.trim() === '' || text.parentElement?.closest(left) !== null) continue
        const outer = document.createElement('font')
        outer.style.verticalAlign = 'inherit'
        const inner = outer.appendChild(document.createElement('font'))
        inner.textContent = text.data
        text.replaceWith(outer)
      }
    }
    new MutationObserver((records) => {
      for (const { type, target, addedNodes } of records)
        if (type === 'characterData') translate(target)
        else for (const node of addedNodes) if (node.isConnected) translate(node)
    }).observe(document, { childList: true, subtree: true, characterData: true })
  })
}

/** How many texts of the page are translations. */
export function translatedTexts(page: Page): Promise<number> {
  return page.locator('font font').count()
}
