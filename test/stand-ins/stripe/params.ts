import { errors } from './errors.ts'

/** The parameters of a request, nested by Stripe's form encoding: `items[0][price]=x` is `{items: {0: {price: 'x'}}}`. */
export interface Params {
  [name: string]: string | Params
}

const nesting = 6

/** Reads a query or a form body; `list[]=x` appends. @throws {StandInError} for a name that cannot be read */
export function parseParams(text: string): Params {
  const params: Params = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const match = /^([\w-]+)((?:\[[\w-]*\])*)$/.exec(name)
    const path = [match?.[1], ...bracketed(match?.[2] ?? '')]
    if (!match || path.length > nesting) throw errors.wrong(`Invalid parameter name: ${name}`, name)
    put(params, path, value)
  }
  return params
}

/** The names in `[a][b][]`. */
function bracketed(text: string): (string | undefined)[] {
  return [...text.matchAll(/\[([\w-]*)\]/g)].map((part) => part[1])
}

function put(params: Params, path: (string | undefined)[], value: string): void {
  const [first, ...rest] = path
  const key = first === undefined || first === '' ? String(Object.keys(params).length) : first
  if (rest.length === 0) {
    params[key] = value
    return
  }
  const known = params[key]
  const inner: Params = typeof known === 'object' ? known : Object.create(null)
  params[key] = inner
  put(inner, rest, value)
}

/** An optional text; an empty one counts as missing. */
export function textOf(params: Params | undefined, name: string): string | undefined {
  const value = params?.[name]
  if (typeof value === 'object') throw errors.wrong('Invalid string', name)
  return value === '' ? undefined : value
}

export function requiredText(params: Params, name: string): string {
  const value = textOf(params, name)
  if (value === undefined) throw errors.required(name)
  return value
}

export function innerOf(params: Params | undefined, name: string): Params | undefined {
  const value = params?.[name]
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'object') throw errors.wrong('Invalid object', name)
  return value
}

/** The members of a list, in order. */
export function listOf(params: Params | undefined, name: string): (string | Params)[] {
  return Object.values(innerOf(params, name) ?? {})
}

export function flagOf(params: Params, name: string): boolean | undefined {
  const value = textOf(params, name)
  if (value === undefined) return undefined
  if (value !== 'true' && value !== 'false') throw errors.wrong(`Invalid boolean: ${value}`, name)
  return value === 'true'
}

export function wholeOf(params: Params | undefined, name: string): number | undefined {
  const value = textOf(params, name)
  if (value === undefined) return undefined
  if (!/^\d{1,12}$/.test(value)) throw errors.wrong(`Invalid integer: ${value}`, name)
  return Number(value)
}

export function metadataOf(params: Params | undefined): Record<string, string> {
  const given = innerOf(params, 'metadata') ?? {}
  return Object.fromEntries(Object.keys(given).map((name) => [name, textOf(given, name) ?? '']))
}
