import { stat } from 'node:fs/promises'
import { serveStatic } from '@hono/node-server/serve-static'
import type { HonoRequest, MiddlewareHandler } from 'hono'
import type { HttpEnvironment } from '../http/router.ts'
import { workerPolicy } from '../http/security-headers.ts'

/** The thread that checks QR codes (web/qr/check-worker.ts): the one script that may compile WebAssembly (docs/decisions/0074). */
const checkWorker = /^\/assets\/check-worker-[^/]+\.js$/

const immutable = 'public, max-age=31536000, immutable'

/** Serves the public files of a folder, precompressed where the build did that. Other requests go on. */
export function serveFiles(folder: string): MiddlewareHandler<HttpEnvironment> {
  const files = serveStatic({ root: folder, precompressed: true })
  return async (c, next) => {
    // Files of the build tool (.vite/manifest.json) are not public.
    const modified = c.req.path.startsWith('/.') ? undefined : await modifiedAt(folder + c.req.path)
    if (modified === undefined) return next()
    const isHashed = c.req.path.startsWith('/assets/')
    const headers = {
      'Cache-Control': isHashed ? immutable : 'public, max-age=3600',
      'Last-Modified': modified,
      ...(checkWorker.test(c.req.path) && { 'Content-Security-Policy': workerPolicy }),
    }
    const isGet = c.req.method === 'GET'
    if ((isGet || c.req.method === 'HEAD') && isUnchanged(c.req, modified))
      return c.body(null, 304, { ...headers, Vary: 'Accept-Encoding' })
    // serveStatic reads each Range header, even one that has to be ignored.
    const range = isGet ? rangeOf(c.req, modified) : undefined
    if (range === undefined) c.req.raw.headers.delete('range')
    else c.req.raw.headers.set('range', range)
    const found = await files(c, next)
    if (!(found instanceof Response)) return undefined
    found.headers.set('Accept-Ranges', 'bytes')
    for (const [name, value] of Object.entries(headers)) found.headers.set(name, value)
    return found
  }
}

/** The time of the last change of a file, as a header has it; compressed variants are as old as their file. */
async function modifiedAt(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() ? found.mtime.toUTCString() : undefined
}

/** If-Modified-Since (RFC 9110, section 13.1.3). No file has an ETag, so that none in If-None-Match is current. */
function isUnchanged(request: HonoRequest, modified: string): boolean {
  const tags = request.header('if-none-match')
  if (tags !== undefined) return tags.trim() === '*'
  const since = Date.parse(request.header('if-modified-since') ?? '')
  return Date.parse(modified) <= since
}

/** The one range that a request asks for. Undefined for none, several, another unit, or another version of the file. */
function rangeOf(request: HonoRequest, modified: string): string | undefined {
  const condition = request.header('if-range')
  if (condition !== undefined && condition.trim() !== modified) return undefined
  const range = /^bytes=\s*(\d+-\d*|-\d+)\s*$/i.exec(request.header('range') ?? '')?.[1]
  const [first = '', last = ''] = range?.split('-') ?? []
  const isBackwards = first !== '' && last !== '' && Number(first) > Number(last)
  return range === undefined || isBackwards ? undefined : `bytes=${range}`
}
