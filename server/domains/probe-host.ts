import { installationPath } from '#domain/domains/installation-path.ts'
import type { LookUpAll } from '../primitives/public-address.ts'
import type { Certificate, getFromEndpoint, PostResult } from '../webhooks/post.ts'

const maxBytes = 1_024

export interface ProbeResult {
  /** From this installation, another server, or none. */
  answer: 'ours' | 'other' | 'none'
  isCloudflare: boolean
  certificate: Certificate | undefined
}

export interface ProbeDeps {
  getPublic: typeof getFromEndpoint
  allowsPrivate: boolean
  /** '' for 443. */
  port: string
  timeoutMs: number
  userAgent: string
}

/** Asks a host over https who serves it. The certificate is read, and decides nothing. */
export async function probeHost(
  host: string,
  installation: string,
  {
    getPublic,
    allowsPrivate,
    port,
    timeoutMs,
    userAgent,
    lookUp,
  }: ProbeDeps & { lookUp: LookUpAll },
): Promise<ProbeResult> {
  const url = `https://${host}${port === '' ? '' : `:${port}`}${installationPath}`
  const result = await getPublic(url, {
    headers: { 'user-agent': userAgent, accept: 'application/json' },
    timeoutMs,
    allowsPrivate,
    maxBytes,
    lookUp,
    anyCertificate: true,
  })
  return readProbe(result, installation)
}

function readProbe(result: PostResult, installation: string): ProbeResult {
  if ('error' in result) return { answer: 'none', isCloudflare: false, certificate: undefined }
  const isOurs = result.status === 200 && readId(result.answer) === installation
  return {
    answer: isOurs ? 'ours' : 'other',
    isCloudflare: result.server?.toLowerCase() === 'cloudflare',
    certificate: result.certificate,
  }
}

function readId(answer: string): unknown {
  try {
    const body: unknown = JSON.parse(answer)
    return typeof body === 'object' && body !== null && 'hoplet' in body ? body.hoplet : undefined
  } catch {
    return undefined
  }
}
