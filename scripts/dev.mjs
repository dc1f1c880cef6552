import { existsSync, readFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import { join } from 'node:path'
import { root } from './process.mjs'
import { setUp } from './setup.mjs'

// One port: Vite serves the web app with hot reloading and forwards everything else to the server, which runs from
// its sources on a second port and restarts when they change.
await setUp({ needsBuild: false })
const { createServer: createVite } = await import('vite')
const { Hono } = await import('hono')

const front = createServer((request, response) => void answer(request, response))
const vite = await createVite({
  configFile: join(root, 'vite.config.ts'),
  appType: 'custom',
  server: { middlewareMode: true, hmr: { server: front } },
})
const load = (path) => vite.ssrLoadModule(join(root, path))

const { readEnv } = await load('server/env.ts')
const { createConfig } = await load('server/config.ts')
const { createLog } = await load('server/log.ts')
const config = createConfig(readEnv())
const log = createLog(config.logLevel)
const address = `http://${config.host}:${config.port}`

let server = start()
if (await server) {
  front.listen(config.port, config.host, () =>
    console.log(`\n  Hoplet for developers: ${address}\n`),
  )
  await printDemoAccounts(await server)
} else {
  process.exit(1)
}

vite.watcher.add(['server', 'domain', 'public-pages', 'database'].map((each) => join(root, each)))
vite.watcher.on('all', (event, path) => {
  if (!/^(add|change|unlink)$/.test(event) || /\.test\.tsx?$/.test(path)) return
  if (
    ['server', 'domain', 'public-pages', 'database'].some((each) =>
      path.startsWith(join(root, each)),
    )
  ) {
    scheduleRestart()
  }
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void end())

/** Starts the server. Logs a failure and returns undefined. */
async function start() {
  try {
    const { startHoplet } = await load('server/start.ts')
    const inner = { ...config, host: '127.0.0.1', port: 0, publicUrl: config.publicUrl ?? address }
    return await startHoplet(inner, log, { web })
  } catch (error) {
    vite.ssrFixStacktrace(error)
    console.error(error)
    return undefined
  }
}

/** Creates and prints demo accounts, only on the embedded database: any other may hold real data. */
async function printDemoAccounts(running) {
  if (config.databaseUrl) return
  try {
    const { makeDemo, describeDemo } = await load('scripts/demo/demo.ts')
    const demo = await makeDemo(running)
    if (demo) console.log(describeDemo(demo))
  } catch (error) {
    console.error('  The demo accounts could not be made:', error)
  }
}

let timer
function scheduleRestart() {
  clearTimeout(timer)
  timer = setTimeout(() => {
    server = server.then(async (running) => {
      await running?.stop()
      const next = await start()
      if (next) console.log('  Server restarted.')
      return next
    })
  }, 100)
}

let ending = false
async function end() {
  if (ending) return
  ending = true
  front.close()
  const running = await server
  await running?.stop()
  await vite.close()
  process.exit(0)
}

/** Serves the document of every screen as the built server does, transformed by Vite, with a policy that allows Vite's scripts. */
function web(context) {
  const app = new Hono()
  app.get('*', async (c) => {
    const { isAppPath } = await load('domain/routes.ts')
    const { fillDocument } = await load('server/pages/web-app.ts')
    const html = fillDocument(readFileSync(join(root, 'web/index.html'), 'utf8'), context)
    c.header('Content-Security-Policy', "default-src 'self' 'unsafe-inline' data: blob: ws:")
    return c.html(
      await vite.transformIndexHtml(c.req.path, html),
      isAppPath(c.req.path) ? 200 : 404,
    )
  })
  return app
}

async function answer(request, response) {
  const { pathname } = new URL(request.url ?? '/', address)
  if (isServedByVite(pathname)) return vite.middlewares(request, response)
  const running = await server
  if (!running) {
    response.writeHead(503).end('The server could not start; see its terminal.')
    return
  }
  const { method, headers, url } = request
  const forwarded = forward(new URL(url ?? '/', running.url), { method, headers }, (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.headers)
    answered.pipe(response)
  })
  forwarded.on('error', () => response.headersSent || response.writeHead(502).end())
  // A stream ends when its page is closed.
  response.on('close', () => forwarded.destroy())
  request.pipe(forwarded)
}

function isServedByVite(pathname) {
  if (/^\/(@|node_modules\/)/.test(pathname)) return true
  if (!pathname.includes('.') || pathname.includes('..') || pathname === '/index.html') return false
  return ['web', 'web/public'].some((each) => existsSync(join(root, each, pathname)))
}
