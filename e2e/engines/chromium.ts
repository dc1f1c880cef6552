import type { Page } from 'playwright-core'
import { launchBrowser, userAgent } from '../browser.ts'
import {
  type EngineSettings,
  type EngineWindow,
  type InputSource,
  specialKeys,
} from './engine-window.ts'

/** The Chromium of the other browser tests, as the control of Firefox and WebKit. */
export async function openChromium({
  proxy,
  theme = 'light',
}: EngineSettings): Promise<EngineWindow> {
  const browser = await launchBrowser()
  const context = await browser.newContext({
    userAgent,
    colorScheme: theme,
    proxy: { server: `http://${proxy}`, bypass: '127.0.0.1' },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  return {
    goto: async (url) => {
      await page.goto(url)
    },
    ask: (expression) => page.evaluate<string>(expression),
    perform: async (sources: readonly InputSource[]) => {
      for (const { actions } of sources) for (const action of actions) await perform(page, action)
    },
    resize: (width, height) => page.setViewportSize({ width, height }),
    deleteCookies: () => context.clearCookies(),
    screenshot: () => page.screenshot(),
    close: () => browser.close(),
  }
}

function perform(page: Page, action: InputSource['actions'][number]): Promise<void> {
  switch (action.type) {
    case 'pointerMove':
      return page.mouse.move(action.x, action.y)
    case 'pointerDown':
      return page.mouse.down()
    case 'pointerUp':
      return page.mouse.up()
    case 'keyDown':
      return page.keyboard.down(keyOf(action.value))
    case 'keyUp':
      return page.keyboard.up(keyOf(action.value))
    case 'scroll':
      return page.mouse
        .move(action.x, action.y)
        .then(() => page.mouse.wheel(action.deltaX, action.deltaY))
  }
}

const keyOf = (value: string) =>
  Object.entries(specialKeys).find(([, character]) => character === value)?.[0] ?? value
