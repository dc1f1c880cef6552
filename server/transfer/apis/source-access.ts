import type { SourceRecord } from '#domain/transfer/imported.ts'
import type { getFromEndpoint } from '../../webhooks/post.ts'
import { SourceError } from './source-error.ts'

/** The API of a source, as somebody with a token reads it. */
export interface SourceAccess {
  /** Without a slash at the end; a server that people run themselves may have a path. */
  origin: string
  token: string
  /** Throws a SourceError of the kind `unreachable` when no answer comes. */
  get(url: string, headers: Record<string, string>): Promise<SourceAnswer>
}

export interface SourceAnswer {
  status: number
  text: string
  /** The header, as sent. */
  retryAfter?: string | undefined
}

/** Some records of a source. */
export interface SourcePage {
  records: SourceRecord[]
  /** JSON text that `readPage` goes on with; undefined after the last page. */
  cursor?: string | undefined
  /** Records of the whole source, where it says so. */
  total?: number | undefined
}

/** Reads the records of one service, page by page. A page can be read again. */
export interface SourceApi {
  /** Between pages, as the service asks for. */
  pauseMs: number
  readPage(access: SourceAccess, cursor?: string): Promise<SourcePage>
}

/** Bytes of an answer. */
const maxBytes = 8 * 1024 * 1024

interface AccessOptions {
  getPublic: typeof getFromEndpoint
  origin: string
  token: string
  timeoutMs: number
  userAgent: string
  /** Allows http and private addresses. */
  allowsPrivate?: boolean
}

/** Access to the API at a public https address. Redirects are not followed: the token would go with them. */
export function createSourceAccess(options: AccessOptions): SourceAccess {
  const { getPublic, token, timeoutMs, userAgent, allowsPrivate = false } = options
  return {
    origin: originOf(options.origin),
    token: token.trim(),
    async get(url, headers) {
      const result = await getPublic(url, {
        headers: { accept: 'application/json', 'user-agent': userAgent, ...headers },
        timeoutMs,
        allowsPrivate,
        maxBytes,
      })
      if ('error' in result) throw new SourceError('unreachable', result.error)
      const { status, answer, retryAfter } = result
      if (Buffer.byteLength(answer) >= maxBytes)
        throw new SourceError('answer', 'The service sent a page of more than 8 MB')
      return { status, text: answer, retryAfter }
    },
  }
}

/** As people paste it: with a slash at the end, with the path of the API, or without a scheme. */
function originOf(typed: string): string {
  const text = typed.trim().replace(/[?#].*$/s, '')
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`
  return address.replace(/(?:\/yourls-api\.php|\/rest(?:\/v\d+)?|\/api(?:\/v\d+)?)?\/*$/i, '')
}
