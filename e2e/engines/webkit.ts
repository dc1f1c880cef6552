import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { findProgram } from '../../scripts/debian-programs.mjs'
import { freePort } from '#test/free-port.ts'
import { type ChildProgram, startProgram } from './child-program.ts'
import type { EngineSettings, EngineWindow } from './engine-window.ts'

/** The bars of the window would make it wider than a phone. */
const withoutBars = `* { min-width: 0; min-height: 0; padding: 0; margin: 0; border-width: 0; font-size: 1px }
image { -gtk-icon-transform: scale(0) }`

/** WebKitGTK's small browser, by WebDriver, on a screen that nobody sees. */
export async function openWebKit({
  proxy,
  theme = 'light',
}: EngineSettings): Promise<EngineWindow> {
  const home = await mkdtemp(join(inject('scratch'), 'webkit-'))
  await mkdir(join(home, 'gtk-3.0'))
  await writeFile(join(home, 'gtk-3.0/gtk.css'), withoutBars)
  const screen = startProgram(
    findProgram('Xvfb') ?? 'Xvfb',
    '-displayfd 1 -screen 0 1920x1400x24 -nolisten tcp'.split(' '),
  )
  const { program, session } = await startSession(proxy, {
    DISPLAY: `:${await screen.line('stdout', /(\d+)\n/)}`,
    XDG_CONFIG_HOME: home,
    XDG_CACHE_HOME: home,
    // Scanning the plugins of GStreamer takes seconds; no page here plays anything.
    GST_PLUGIN_SYSTEM_PATH: '',
    GST_REGISTRY_UPDATE: 'no',
    GTK_THEME: theme === 'dark' ? 'Adwaita:dark' : 'Adwaita',
  })
  const send = <Result = null>(method: string, path: string, body?: object) =>
    request<Result>(method, `${session}${path}`, { body })
  const ask = (expression: string) =>
    send<string>('POST', '/execute/async', {
      script: `const done = arguments[0]
        Promise.resolve().then(() => ${expression}).then(
          (value) => done('+' + value),
          (error) => done('-' + error))`,
      args: [],
    }).then((answer) => {
      if (answer.startsWith('+')) return answer.slice(1)
      throw new Error(answer.slice(1))
    })
  return {
    ask,
    goto: async (url) => {
      await send('POST', '/url', { url })
    },
    perform: async (actions) => {
      await send('POST', '/actions', { actions })
    },
    async resize(width, height) {
      const bars = Number(await ask('outerHeight - innerHeight'))
      await send('POST', '/window/rect', { width, height: height + bars })
    },
    deleteCookies: async () => {
      await send('DELETE', '/cookie')
    },
    screenshot: async () => Buffer.from(await send<string>('GET', '/screenshot'), 'base64'),
    async close() {
      await send('DELETE', '')
      await program.stop()
      await screen.stop()
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

interface Session {
  program: ChildProgram
  /** Its address at the driver. */
  session: string
}

/** The driver sometimes waits forever for the browser that it started; another one then does not. */
async function startSession(proxy: string, env: NodeJS.ProcessEnv): Promise<Session> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const program = startProgram(
      findProgram('WebKitWebDriver') ?? 'WebKitWebDriver',
      [`--port=${port}`],
      env,
    )
    const base = `http://127.0.0.1:${port}`
    try {
      await listening(`${base}/status`, program)
      const { sessionId } = await request<{ sessionId: string }>('POST', `${base}/session`, {
        timeoutMs: attempt * 60_000,
        body: {
          capabilities: {
            alwaysMatch: {
              proxy: {
                proxyType: 'manual',
                httpProxy: proxy,
                sslProxy: proxy,
                noProxy: ['127.0.0.1'],
              },
            },
          },
        },
      })
      return { program, session: `${base}/session/${sessionId}` }
    } catch (error) {
      await program.stop()
      if (attempt === 4) throw error
    }
  }
}

async function listening(url: string, { child }: ChildProgram): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return
    await sleep(100)
  }
  throw new Error(`WebKitWebDriver ended with code ${child.exitCode}`)
}

async function request<Result>(
  method: string,
  url: string,
  { body = {}, timeoutMs = 600_000 }: { body?: object | undefined; timeoutMs?: number } = {},
): Promise<Result> {
  const response = await fetch(url, {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  })
  const { value } = (await response.json()) as { value: Result }
  if (!response.ok) throw new Error(`${method} ${url}: ${JSON.stringify(value)}`)
  return value
}
