import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { parseAccept } from 'hono/utils/accept'

type Encoding = 'br' | 'gzip'

/** Below one network packet there is nothing to gain. */
const minBytes = 1_400
const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/** Chooses the best encoding that an Accept-Encoding header (RFC 9110, section 12.5.3) allows; undefined for none. */
function chooseEncoding(accepted: string | null): Encoding | undefined {
  const weights = new Map(parseAccept(accepted ?? '').map(({ type, q }) => [type.toLowerCase(), q]))
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0
  if (weightOf('br') > 0 && weightOf('br') >= weightOf('gzip')) return 'br'
  return weightOf('gzip') > 0 ? 'gzip' : undefined
}

/**
 * Compresses a text body on the thread pool, when it is large enough and the client accepts it; `headers` are Vary and
 * Content-Encoding. Only for answers to requests that no other site can send with a person's credentials, or an attacker
 * could learn secrets from their size (BREACH).
 */
export async function compressBody(
  text: string,
  accepted: string | null,
): Promise<{ body: string | Uint8Array<ArrayBuffer>; headers: Record<string, string> }> {
  const headers = { Vary: 'Accept-Encoding' }
  const encoding = Buffer.byteLength(text) < minBytes ? undefined : chooseEncoding(accepted)
  if (encoding === undefined) return { body: text, headers }
  const compressed =
    encoding === 'gzip'
      ? gzipped(text, { level: 6 })
      : brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
  return { body: await compressed, headers: { ...headers, 'Content-Encoding': encoding } }
}
