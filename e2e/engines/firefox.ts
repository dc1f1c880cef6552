import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WebSocket } from 'undici'
import { inject } from 'vitest'
import { findProgram } from '../../scripts/debian-programs.mjs'
import { startProgram } from './child-program.ts'
import type { EngineSettings, EngineWindow } from './engine-window.ts'

/** Firefox calls home at its start unless these say no. */
const quietPreferences = {
  'app.normandy.enabled': false,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  // The proxy's answers are for hosts that no test serves.
  'network.proxy.allow_hijacking_localhost': false,
  'toolkit.telemetry.unified': false,
}

/** Debian's Firefox, by WebDriver BiDi, a protocol that it speaks without a driver program. */
export async function openFirefox({
  proxy,
  theme = 'light',
  preferences,
}: EngineSettings): Promise<EngineWindow> {
  const profile = await mkdtemp(join(inject('scratch'), 'firefox-'))
  const chosen = Object.entries({
    ...quietPreferences,
    'ui.systemUsesDarkTheme': theme === 'dark' ? 1 : 0,
    ...preferences,
  }).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
  await writeFile(join(profile, 'user.js'), chosen.join(''))
  const program = startProgram(
    findProgram('firefox-esr') ?? 'firefox-esr',
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    { HOME: profile },
  )
  const address = await program.line('stderr', /WebDriver BiDi listening on (ws:\S+)/)
  const { send, end } = await connect(`${address}/session`)
  await send('session.new', {
    capabilities: {
      alwaysMatch: {
        proxy: { proxyType: 'manual', httpProxy: proxy, sslProxy: proxy, noProxy: ['127.0.0.1'] },
      },
    },
  })
  const { contexts } = await send<{ contexts: { context: string }[] }>(
    'browsingContext.getTree',
    {},
  )
  const context = contexts[0]?.context ?? ''
  return {
    goto: async (url) => {
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    async ask(expression) {
      const answer = await send<{
        result?: { value?: unknown }
        exceptionDetails?: { text: string }
      }>('script.evaluate', { expression, target: { context }, awaitPromise: true })
      if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text)
      return String(answer.result?.value)
    },
    perform: async (actions) => {
      await send('input.performActions', { context, actions })
    },
    resize: async (width, height) => {
      await send('browsingContext.setViewport', { context, viewport: { width, height } })
    },
    deleteCookies: async () => {
      await send('storage.deleteCookies', {})
    },
    async screenshot() {
      const { data } = await send<{ data: string }>('browsingContext.captureScreenshot', {
        context,
      })
      return Buffer.from(data, 'base64')
    },
    async close() {
      end()
      await program.stop()
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

interface Answer {
  id?: number
  result?: unknown
  error?: string
  message?: string
}

/** Commands over a WebSocket: each has an id, which its answer repeats. */
async function connect(url: string) {
  const socket = new WebSocket(url)
  const waiting = new Map<number, (answer: Answer) => void>()
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error(`${url} cannot be reached`)))
  })
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer
    waiting.get(answer.id ?? 0)?.(answer)
    waiting.delete(answer.id ?? 0)
  })
  socket.addEventListener('close', () => {
    for (const answer of waiting.values()) answer({ error: 'closed', message: 'Firefox is gone' })
  })
  let last = 0
  return {
    async send<Result>(method: string, params: object): Promise<Result> {
      const id = ++last
      const answer = await new Promise<Answer>((resolve) => {
        waiting.set(id, resolve)
        socket.send(JSON.stringify({ id, method, params }))
      })
      if (answer.error !== undefined)
        throw new Error(`${method}: ${answer.error}: ${answer.message}`)
      return answer.result as Result
    },
    end: () => socket.close(),
  }
}
