import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { expect, it } from 'vitest'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

interface Chunk {
  file: string
  isDynamicEntry?: boolean
}

// Chunks may import each other, and then the order of their modules decides whether they run.
it(
  'Every part of the app that comes later loads as the first one',
  { tags: ['extended'] },
  async () => {
    const manifest = JSON.parse(
      await readFile(new URL('../../dist/web/.vite/manifest.json', import.meta.url), 'utf8'),
    ) as Record<string, Chunk>
    const parts = Object.entries(manifest).filter(([, { isDynamicEntry }]) => isDynamicEntry)
    expect(parts.length).toBeGreaterThan(30)
    const first = await openPage(browser, server.url)
    const failures: string[] = []
    async function loadParts(): Promise<void> {
      const page = await first.context().newPage()
      for (let next = parts.pop(); next !== undefined; next = parts.pop()) {
        const [source, { file }] = next
        await page.goto('/')
        // A text: the test runner rewrites an import in a function.
        const failure = await page.evaluate(`import('/${file}').then(() => '', String)`)
        if (failure !== '') failures.push(`${source}: ${String(failure)}`)
      }
    }
    await Promise.all([loadParts(), loadParts(), loadParts()])
    expect(failures).toEqual([])
    await first.context().close()
  },
)
