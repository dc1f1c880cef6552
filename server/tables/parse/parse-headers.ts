import { z } from 'zod'
import { problems } from '../errors.ts'

/** The preferences that are understood, by name. */
const known = z.strictObject({
  return: z.enum(['minimal', 'representation', 'headers-only']).optional(),
  count: z.enum(['exact', 'planned', 'estimated']).optional(),
  resolution: z.enum(['merge-duplicates', 'ignore-duplicates']).optional(),
  missing: z.enum(['null', 'default']).optional(),
  handling: z.enum(['strict', 'lenient']).optional(),
  'max-affected': z
    .string()
    .regex(/^\d{1,9}$/)
    .optional(),
  tx: z.literal('commit').optional(),
  /** Saves a change that breaks an expectation of a link. */
  expectations: z.literal('ignore').optional(),
  timezone: z.string().refine(isTimeZone).optional(),
})

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}

function isKnown(name: string): name is keyof typeof known.shape {
  return Object.hasOwn(known.shape, name)
}

/** Preferences of a client, from all Prefer headers. */
export interface Preferences extends z.output<typeof known> {
  /** Counts only with `handling=strict`. */
  maxAffected: number | undefined
  /** For Preference-Applied: the understood ones, as they were sent. */
  applied: string[]
}

/** How the body of an answer looks: a list or the single row; nulls left out on request; or CSV. */
export interface Shape {
  single: boolean
  csv: boolean
  nullsStripped: boolean
}

/** Requested form of the answer. */
export interface Answer {
  prefer: Preferences
  shape: Shape
}

/** Reads Prefer (RFC 7240). The first of two that contradict each other wins, as in PostgREST. */
export function parsePreferences(headers: Headers): Preferences {
  const wanted = (headers.get('prefer') ?? '')
    .split(/[,;]/)
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .slice(0, 50)
  const applied = new Map<string, string>()
  const unknown: string[] = []
  for (const item of wanted) {
    const [, name = '', value = ''] = /^([a-z-]+)=(.+)$/.exec(item) ?? []
    if (!isKnown(name) || !known.shape[name].safeParse(value).success) unknown.push(item)
    else if (!applied.has(name)) applied.set(name, value)
  }
  // Each value has passed its rule.
  const preferences: z.output<typeof known> = Object.fromEntries(applied)
  const strict = preferences.handling === 'strict'
  if (strict && unknown.length > 0) throw problems.preferences(unknown)
  // Ignoring this one would write a change that the client only wanted to try.
  if (unknown.includes('tx=rollback')) throw problems.preferences(['tx=rollback'])
  const maxAffected = preferences['max-affected']
  return {
    ...preferences,
    maxAffected: strict && maxAffected ? Number(maxAffected) : undefined,
    applied: [...applied].map(([name, value]) => `${name}=${value}`),
  }
}

/** The media types of an answer. Of CSV nulls cannot be left out. */
const forms = [
  { type: /^application\/vnd\.pgrst\.object(\+json)?$/, single: true, csv: false },
  {
    type: /^(application\/(json|\*|vnd\.pgrst\.array(\+json)?)|\*\/\*)$/,
    single: false,
    csv: false,
  },
  { type: /^text\/csv$/, single: false, csv: true },
]

/** Chooses the shape of the answer from Accept. @throws {ProtocolError} PGRST107 when it can be neither JSON nor CSV */
export function parseAccept(headers: Headers): Shape {
  const accept = headers.get('accept') ?? '*/*'
  for (const item of accept.split(',').slice(0, 20)) {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    const form = forms.find((each) => each.type.test(type))
    if (form) {
      const { single, csv } = form
      return { single, csv, nullsStripped: !csv && parameters.includes('nulls=stripped') }
    }
  }
  throw problems.mediaType(accept)
}

/** A door serves one schema; official clients name theirs `public` by default. */
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
