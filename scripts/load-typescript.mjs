import { root } from './process.mjs'

/**
 * Node 20 reads no TypeScript; Vite does.
 *
 * @param {string} path of the module, from the root of the repository
 */
export async function loadTypeScript(path) {
  const { createServer } = await import('vite')
  const vite = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    appType: 'custom',
    server: { middlewareMode: true, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  })
  return vite.ssrLoadModule(`/${path}`)
}
