import { problems } from './errors.ts'

/** What a client prefers, from all Prefer headers. */
export interface Preferences {
  return: 'minimal' | 'representation' | 'headers-only'
  count?: 'exact' | 'planned' | 'estimated'
  resolution?: 'merge-duplicates' | 'ignore-duplicates'
  missing: 'null' | 'default'
  maxAffected?: number
  strict: boolean
  /** For Preference-Applied: the understood ones, as they were sent. */
  applied: string[]
}

/** How the body of an answer looks: a list or the single row; nulls left out on request. */
export interface Shape {
  single: boolean
  nullsStripped: boolean
}

const understood =
  /^(return=(minimal|representation|headers-only)|count=(exact|planned|estimated)|resolution=(merge|ignore)-duplicates|missing=(default|null)|handling=(strict|lenient)|max-affected=\d{1,9}|tx=commit)$/

/** Reads Prefer (RFC 7240). The first of two that contradict each other wins, as in PostgREST. */
export function parsePreferences(headers: Headers): Preferences {
  const wanted = (headers.get('prefer') ?? '')
    .split(/[,;]/)
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .slice(0, 50)
  const applied = new Map<string, string>()
  for (const item of wanted) {
    const [name = '', value = ''] = item.split('=')
    if (understood.test(item) && !applied.has(name)) applied.set(name, value)
  }
  const strict = applied.get('handling') === 'strict'
  const unknown = wanted.filter((item) => !understood.test(item))
  if (strict && unknown.length > 0) throw problems.preferences(unknown)
  // To ignore this one would write what the client only wanted to try.
  if (wanted.includes('tx=rollback')) throw problems.preferences(['tx=rollback'])

  const count = applied.get('count')
  const resolution = applied.get('resolution')
  const maxAffected = applied.get('max-affected')
  const returned = applied.get('return')
  return {
    return: returned === 'representation' || returned === 'headers-only' ? returned : 'minimal',
    ...((count === 'exact' || count === 'planned' || count === 'estimated') && { count }),
    ...((resolution === 'merge-duplicates' || resolution === 'ignore-duplicates') && {
      resolution,
    }),
    missing: applied.get('missing') === 'default' ? 'default' : 'null',
    ...(maxAffected !== undefined && strict && { maxAffected: Number(maxAffected) }),
    strict,
    applied: [...applied].map(([name, value]) => `${name}=${value}`),
  }
}

const single = /^application\/vnd\.pgrst\.object(\+json)?$/
const list = /^(application\/(json|\*|vnd\.pgrst\.array(\+json)?)|\*\/\*)$/

/** Chooses the shape of the answer from Accept. @throws {ProtocolError} PGRST107 when it can't be JSON */
export function parseAccept(headers: Headers): Shape {
  const accept = headers.get('accept') ?? '*/*'
  for (const item of accept.split(',').slice(0, 20)) {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    const nullsStripped = parameters.includes('nulls=stripped')
    if (single.test(type)) return { single: true, nullsStripped }
    if (list.test(type)) return { single: false, nullsStripped }
  }
  throw problems.mediaType(accept)
}

/** A door serves one schema; official clients name theirs `public` unless told otherwise. */
export function checkProfile(headers: Headers, served: string): void {
  for (const name of ['accept-profile', 'content-profile']) {
    const schema = headers.get(name)
    if (schema !== null && schema !== served && schema !== 'public')
      throw problems.schema(schema, served)
  }
}

export interface RowRange {
  offset: number
  limit?: number
}

/** True for the one type of body that this door reads. */
export function isJson(contentType: string): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType)
}

/** The rows that both ranges name. @throws {ProtocolError} 416 when they have none in common */
export function intersect(one: RowRange, other: RowRange): RowRange {
  if (one.limit === 0) return one
  const offset = Math.max(one.offset, other.offset)
  const end = Math.min(endOf(one), endOf(other))
  if (end <= offset) throw problems.range('The Range header and the query have no row in common.')
  return end === Infinity ? { offset } : { offset, limit: end - offset }
}

function endOf({ offset, limit = Infinity }: RowRange): number {
  return offset + limit
}

/** Reads `Range: 0-24`; anything else there (bytes, nonsense) is ignored, as RFC 9110 asks. */
export function parseRange(headers: Headers): RowRange | undefined {
  const range = /^(?:items=)?(\d{1,15})-(\d{1,15})?$/.exec(headers.get('range') ?? '')
  if (!range) return undefined
  const offset = Number(range[1])
  if (range[2] === undefined) return { offset }
  const limit = Number(range[2]) - offset + 1
  if (limit < 0)
    throw problems.range(
      'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    )
  return { offset, limit }
}
