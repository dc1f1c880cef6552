/** The orders of My Links; the first is the one that it opens with. */
export const listOrders = ['newest', 'oldest', 'clicks', 'code'] as const
export type ListOrder = (typeof listOrders)[number]

/** Filters of My Links; several together narrow it further. */
export const listFilters = ['popup', 'unclicked', 'off', 'blocked'] as const
export type ListFilter = (typeof listFilters)[number]

/** View of My Links, as the address of the screen says it. */
export type ListView = { q?: string; sort?: Exclude<ListOrder, 'newest'> } & Partial<
  Record<ListFilter, true>
>

/** Takes valid parts, and leaves out defaults. */
export function readListView(search: Record<string, unknown>): ListView {
  const view: ListView = {}
  const { q } = search
  if ((typeof q === 'string' && q !== '') || typeof q === 'number') view.q = String(q)
  const sort = listOrders.find((order) => order === search['sort'])
  if (sort !== undefined && sort !== 'newest') view.sort = sort
  for (const filter of listFilters) if (search[filter] === true) view[filter] = true
  return view
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
  return view.q !== undefined || listFilters.some((filter) => view[filter] === true)
}
