import { isRecord } from '#domain/transfer/record-fields.ts'
import { parseJson } from '../../primitives/parse-json.ts'
import type { SourceAccess, SourceAnswer } from './source-access.ts'
import { SourceError, type SourceErrorKind } from './source-error.ts'

/** Longest pause that a service can ask for. */
const maxRetryAfterSeconds = 24 * 3_600

export async function readSourceJson(
  access: SourceAccess,
  path: string,
  headers: Record<string, string>,
): Promise<unknown> {
  return jsonOf(await access.get(`${access.origin}${path}`, headers))
}

/** The JSON of an answer. Throws a SourceError for any answer without one. */
export function jsonOf(answer: SourceAnswer): unknown {
  refuseStatus(answer)
  const json = parseJson(answer.text) ?? parseJson(escapeControls(answer.text))
  if (json === undefined)
    throw new SourceError('answer', 'The service sent no JSON. Is this the address of its API?')
  return json
}

/** The object of an answer. */
export async function readSourceObject(
  access: SourceAccess,
  path: string,
  headers: Record<string, string>,
): Promise<Readonly<Record<string, unknown>>> {
  const json = await readSourceJson(access, path, headers)
  if (!isRecord(json)) throw unknownAnswer()
  return json
}

export function unknownAnswer(): SourceError {
  return new SourceError('answer', 'The service sent another answer than its API describes')
}

function refuseStatus({ status, retryAfter }: SourceAnswer): void {
  if (status === 200) return
  const [kind, message] = refusalOf(status)
  throw new SourceError(kind, message, secondsOf(retryAfter))
}

function refusalOf(status: number): [SourceErrorKind, string] {
  if (status === 401) return ['token', 'The service does not accept this token, or not any more']
  // Bitly and YOURLS answer 403 for a wrong token, too.
  if (status === 402 || status === 403)
    return ['right', 'The service refuses this token: it is wrong, or it may not read links']
  if (status === 429) return ['wait', 'The service asks for a pause']
  if (status >= 500) return ['unreachable', `The service has a fault (${status})`]
  if (status >= 300 && status < 400)
    return ['answer', 'This address leads to another one. Please enter the one that it leads to']
  if (status === 404) return ['answer', 'There is no such API at this address (404)']
  return ['answer', `The service refuses the request (${status})`]
}

/** A number of seconds, or a date (RFC 9110). */
function secondsOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined
  const text = retryAfter.trim()
  const seconds = /^\d{1,10}$/.test(text)
    ? Number(text)
    : Math.ceil((Date.parse(text) - Date.now()) / 1_000)
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 1), maxRetryAfterSeconds)
}

/** Escapes control characters inside of the strings of a JSON text: Bitly sends titles with raw ones. */
function escapeControls(text: string): string {
  const parts: string[] = []
  let isInString = false
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) isInString = !isInString
    else if (code === backslash && isInString) i++
    else if (isInString && (code < 0x20 || (code >= 0x7f && code <= 0x9f))) {
      parts.push(text.slice(from, i), `\\u${code.toString(16).padStart(4, '0')}`)
      from = i + 1
    }
  }
  return parts.join('') + text.slice(from)
}

const quote = '"'.charCodeAt(0)
const backslash = '\\'.charCodeAt(0)
