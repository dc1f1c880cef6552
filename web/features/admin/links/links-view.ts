import type { LinkLookUp } from '#web/api/database-admin.ts'

/** Search of the links screen; it is part of the address, so that other screens can lead to a look-up. */
export interface LinksView {
  by?: LinkLookUp
  value?: string
}

const lookUps: readonly LinkLookUp[] = ['code', 'host', 'user']

export function readLinksView(search: Record<string, unknown>): LinksView {
  const value = search['value']
  const by = lookUps.find((name) => name === search['by'])
  return {
    ...(by === undefined ? {} : { by }),
    ...(typeof value === 'string' || typeof value === 'number' ? { value: String(value) } : {}),
  }
}
