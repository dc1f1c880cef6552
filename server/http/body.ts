/** The body is larger than its door allows: 413. */
export class BodyTooLargeError extends Error {
  name = 'BodyTooLargeError'
}

/** The body is not the JSON that the call takes: 400. */
export class BodyError extends Error {
  name = 'BodyError'
}

/** 64 KiB: no call of the auth and table protocols is larger, bio pages included. */
const bodyLimit = 64 * 1024

/**
 * Reads a JSON body of at most `limit` bytes without ever holding more than that.
 *
 * @returns undefined for an empty body
 * @throws {BodyTooLargeError | BodyError}
 */
export async function readJson(request: Request, limit = bodyLimit): Promise<unknown> {
  const text = await readText(request, limit)
  if (text.trim() === '') return undefined
  if (nestsDeeperThan(text, 32)) throw new BodyError('JSON is nested too deeply')
  try {
    return JSON.parse(text)
  } catch {
    throw new BodyError('Body is not valid JSON')
  }
}

/** Reads a UTF-8 body of at most `limit` bytes. @throws {BodyTooLargeError | BodyError} */
export async function readText(request: Request, limit = bodyLimit): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > limit)
    throw new BodyTooLargeError('Body is too large')
  if (!request.body) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.byteLength
    if (size > limit) throw new BodyTooLargeError('Body is too large')
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new BodyError('Body is not valid UTF-8')
  }
}

function nestsDeeperThan(text: string, most: number): boolean {
  let depth = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (quoted) {
      if (character === '\\') i++
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '{' || character === '[') {
      if (++depth > most) return true
    } else if (character === '}' || character === ']') depth--
  }
  return false
}
