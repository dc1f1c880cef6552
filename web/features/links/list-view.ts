/** The orders of My Links; the first is the one that it opens with. */
export const listOrders = ['newest', 'oldest', 'clicks', 'code'] as const
export type ListOrder = (typeof listOrders)[number]

/** What My Links can be narrowed to; several together narrow it further. */
export const listFilters = ['popup', 'unclicked', 'off', 'blocked'] as const
export type ListFilter = (typeof listFilters)[number]

/** What My Links shows of the links, as the address of the screen says it. */
export type ListView = { q?: string; sort?: Exclude<ListOrder, 'newest'> } & Partial<
  Record<ListFilter, true>
>

/** Takes what makes sense, and leaves out what says nothing. */
export function readListView(search: Record<string, unknown>): ListView {
  const view: ListView = {}
  const { q } = search
  if ((typeof q === 'string' && q !== '') || typeof q === 'number') view.q = String(q)
  const sort = listOrders.find((order) => order === search['sort'])
  if (sort !== undefined && sort !== 'newest') view.sort = sort
  for (const filter of listFilters) if (search[filter] === true) view[filter] = true
  return view
}

/** Whether it asks for what only some plans show. */
export function needsClicks({ sort, unclicked }: ListView): boolean {
  return sort === 'clicks' || unclicked === true
}

/** The same without what asks for click counts. */
export function withoutClicks(view: ListView): ListView {
  const sort = view.sort === 'clicks' ? undefined : view.sort
  return readListView({ ...view, sort, unclicked: false })
}

/** Whether it holds back some of the links. */
export function isNarrowed(view: ListView): boolean {
  return view.q !== undefined || listFilters.some((filter) => view[filter] === true)
}
