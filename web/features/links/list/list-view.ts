/** The orders of My Links; the first is the one that it opens with. */
export const listOrders = ['newest', 'oldest', 'clicks', 'code'] as const
export type ListOrder = (typeof listOrders)[number]

/** Filters of My Links; several together narrow it further. */
export const listFilters = ['popup', 'unclicked', 'off', 'blocked', 'archived'] as const
export type ListFilter = (typeof listFilters)[number]

/** View of My Links, as the address of the screen says it. */
export type ListView = {
  q?: string
  /** The name of a tag, or several: links with any of them. */
  tag?: string | readonly string[]
  /** A host of the account, or {@link ownHost}. */
  domain?: string
  sort?: Exclude<ListOrder, 'newest'>
} & Partial<Record<ListFilter, true>>

/** The server's own host in a view: no host is written like this. */
export const ownHost = 'own'

/** Takes valid parts, and leaves out defaults. */
export function readListView(search: Record<string, unknown>): ListView {
  const view: ListView = {}
  const q = textOf(search['q'])
  if (q !== '') view.q = q
  const [tag, ...tags] = tagsOfView({ tag: search['tag'] })
  if (tag !== undefined) view.tag = tags.length === 0 ? tag : [tag, ...tags]
  const domain = textOf(search['domain'])
  if (domain !== '') view.domain = domain
  const sort = listOrders.find((order) => order === search['sort'])
  if (sort !== undefined && sort !== 'newest') view.sort = sort
  for (const filter of listFilters) if (search[filter] === true) view[filter] = true
  return view
}

/** The names of its tags; without any, links need none. */
export function tagsOfView({ tag }: { tag?: unknown }): string[] {
  const names = [tag].flat().map(textOf)
  return [...new Set(names)].filter((name) => name !== '').slice(0, maxTags)
}

const maxTags = 20

/** Addresses have `2026` and `true` as other types than texts. */
function textOf(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : ''
}

/** The same after a tag was renamed, or deleted. */
export function withRenamedTag(view: ListView, before: string, name: string | null): ListView {
  const tag = tagsOfView(view).map((each) => (each === before ? (name ?? '') : each))
  return readListView({ ...view, tag })
}

/** Whether it needs counts that only some plans show. */
export function needsClicks({ sort, unclicked }: ListView): boolean {
  return sort === 'clicks' || unclicked === true
}

/** The same without parts that need click counts. */
export function withoutClicks(view: ListView): ListView {
  const sort = view.sort === 'clicks' ? undefined : view.sort
  return readListView({ ...view, sort, unclicked: false })
}

/** Whether it holds back some of the links. */
export function isNarrowed(view: ListView): boolean {
  return (
    view.q !== undefined ||
    view.tag !== undefined ||
    view.domain !== undefined ||
    listFilters.some((filter) => view[filter] === true)
  )
}
