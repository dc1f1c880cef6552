import { root } from './process.mjs'

/**
 * Loads a TypeScript module through Vite, because Node 20 cannot.
 *
 * @param {string} path of the module, relative to the root of the repository
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
