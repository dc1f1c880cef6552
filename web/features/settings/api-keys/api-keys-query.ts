import { queryOptions } from '@tanstack/react-query'
import type { ApiKey } from '#domain/access/api-keys.ts'
import { callAuthDoor } from '#web/session/auth-door.ts'

export function apiKeysQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'api-keys'],
    queryFn: async ({ signal }) =>
      (await (await callAuthDoor('/user/api-keys', { signal })).json()) as ApiKey[],
  })
}

interface NewApiKey {
  name: string
  scopes: string[]
  /** Hosts, '' the server's; null: no limit. */
  domains: string[] | null
  expires_in_days: number | null
}

export const apiKeyCalls = {
  /** @returns the key's text, the only time that it is shown */
  async create(fields: NewApiKey): Promise<string> {
    const response = await callAuthDoor('/user/api-keys', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    })
    const { key } = (await response.json()) as { key: string }
    return key
  },
  revoke: (id: string) => callAuthDoor(`/user/api-keys/${id}`, { method: 'DELETE' }),
}
