import type { IncomingMessage } from 'node:http'
import { installationPath } from '#domain/domains/installation-path.ts'
import type { Context } from '../context.ts'
import { jsonResponse, textResponse, type VisitResponse } from '../visits/responses.ts'

export function isInstallationPath(target: string): boolean {
  return target === installationPath || target.startsWith(`${installationPath}?`)
}

/** `{"hoplet":"…"}`, at every host, also at one that is refused: a proven domain is asked before it is served. */
export function installationResponse(
  { publicId }: Pick<Context['installation'], 'publicId'>,
  { method }: Pick<IncomingMessage, 'method'>,
): VisitResponse {
  if (method !== 'GET' && method !== 'HEAD')
    return textResponse(405, unnamed, { Allow: 'GET, HEAD', Connection: 'close' })
  const hoplet = publicId()
  if (hoplet === undefined) return textResponse(503, unnamed, { 'Retry-After': '2' })
  return jsonResponse(200, unnamed, { hoplet })
}

/** Browsers learn nothing about a host that may be another person's. */
const unnamed = { publicUrl: '', hstsSubdomains: false }
