import type Stripe from 'stripe'
import { errors } from './errors.ts'
import { innerOf, listOf, type Params, textOf, wholeOf } from './params.ts'
import { get, type Kind, type Kinds, type Selection, select, type Work } from './work.ts'

/** Answers a list as Stripe pages it: newest first, `limit` of 1 to 100, `starting_after` or `ending_before`. */
export async function page<K extends Kind>(
  work: Work,
  kind: K,
  url: string,
  params: Params,
  wanted: Selection = {},
): Promise<Stripe.ApiList<Kinds[K]>> {
  const limit = wholeOf(params, 'limit') ?? 10
  if (limit < 1 || limit > 100) {
    throw errors.wrong('Invalid limit: must be between 1 and 100.', 'limit')
  }
  const after = textOf(params, 'starting_after')
  const before = textOf(params, 'ending_before')
  if (after !== undefined && before !== undefined) {
    throw errors.wrong('You cannot parameterize both starting_after and ending_before.', 'limit')
  }
  if (after !== undefined) await get(work, kind, after, 'starting_after')
  if (before !== undefined) await get(work, kind, before, 'ending_before')
  const found = await select(work, kind, {
    ...wanted,
    created: createdOf(params),
    after,
    before,
    limit: limit + 1,
  })
  const more = found.length > limit
  // When paging back, the extra item is the newest.
  const data = more ? (before === undefined ? found.slice(0, limit) : found.slice(1)) : found
  return { object: 'list', data, has_more: more, url }
}

function createdOf(params: Params): NonNullable<Selection['created']> {
  if (typeof params.created === 'string') {
    const at = wholeOf(params, 'created')
    return at === undefined ? {} : { gte: at, lte: at }
  }
  const created = innerOf(params, 'created')
  const bounds: NonNullable<Selection['created']> = {}
  for (const name of ['gte', 'gt', 'lte', 'lt'] as const) {
    const value = wholeOf(created, name)
    if (value !== undefined) bounds[name] = value
  }
  return bounds
}

/** `types[]` of the list of events. */
export function typesOf(params: Params): Pick<Selection, 'types'> {
  const types = listOf(params, 'types').map(String)
  if (types.length > 20)
    throw errors.wrong('Array types exceeded maximum 20 allowed elements.', 'types')
  const type = textOf(params, 'type')
  if (type !== undefined) types.push(type)
  return types.length === 0 ? {} : { types }
}
