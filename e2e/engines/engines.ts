import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findProgram } from '../../scripts/debian-programs.mjs'
import type { TestUser } from '#test/factories.ts'
import { openChromium } from './chromium.ts'
import { createEnginePage, type EnginePage } from './engine-page.ts'
import type { EngineSettings, EngineWindow } from './engine-window.ts'
import { openFirefox } from './firefox.ts'
import { openWebKit } from './webkit.ts'

const openers = { Chromium: openChromium, Firefox: openFirefox, WebKit: openWebKit }
export type EngineName = keyof typeof openers
export const engineNames = Object.keys(openers) as EngineName[]

/** Whether the programs of an engine are installed; without them its tests are skipped, and `npm test` names them. */
export function hasEngine(name: EngineName): boolean {
  if (name === 'Firefox') return findProgram('firefox-esr') !== undefined
  if (name === 'WebKit')
    return findProgram('WebKitWebDriver') !== undefined && findProgram('Xvfb') !== undefined
  return true
}

export interface EngineVisit {
  width?: number
  height?: number
  /** Already signed in. */
  user?: Pick<TestUser, 'session'>
  theme?: 'light' | 'dark'
}

export interface Engine {
  /** A page as in a new profile. There is one at a time. */
  open(base: string, visit?: EngineVisit): Promise<EnginePage>
  close(): Promise<void>
}

/** Starts a browser. No request of it leaves the machine: a proxy answers for all other hosts with a page "There". */
export async function startEngine(
  name: EngineName,
  settings: Omit<EngineSettings, 'proxy'> = {},
): Promise<Engine> {
  const outside = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<title>There</title><p>There</p>')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => outside.once('listening', resolve))
  const { port } = outside.address() as AddressInfo
  const window = await openers[name]({ ...settings, proxy: `127.0.0.1:${port}` })
  return {
    open: (base, visit) => openAsNew(window, base, visit),
    async close() {
      await window.close()
      outside.closeAllConnections()
      outside.close()
    },
  }
}

async function openAsNew(
  window: EngineWindow,
  base: string,
  { width = 1280, height = 900, user, theme = 'light' }: EngineVisit = {},
): Promise<EnginePage> {
  const page = createEnginePage(window, base)
  // A page of the server that runs nothing: storage belongs to its origin.
  await page.goto('/robots.txt')
  await window.deleteCookies()
  await page.run(
    (chosen, session) => {
      try {
        localStorage.clear()
        sessionStorage.clear()
        localStorage.setItem('theme', chosen)
        if (session) localStorage.setItem('hoplet.auth', JSON.stringify(session))
      } catch {
        // The settings of the test block storage.
      }
    },
    theme,
    user?.session ?? null,
  )
  await page.resize(width, height)
  return page
}
