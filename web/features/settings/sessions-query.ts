import { queryOptions } from '@tanstack/react-query'
import { callAuthDoor } from '#web/session/auth-door.ts'

/** As GET /auth/v1/user/sessions answers. */
export interface OwnSession {
  id: string
  created_at: string
  last_used_at: string
  user_agent: string | null
  address: string | null
  current: boolean
}

/** As GET /auth/v1/user/events answers. */
export interface AccountEvent {
  id: string
  at: string
  event: string
  address: string | null
  user_agent: string | null
}

export function sessionsQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'sessions'],
    queryFn: async ({ signal }) =>
      (await (await callAuthDoor('/user/sessions', { signal })).json()) as OwnSession[],
  })
}

export function eventsQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'events'],
    queryFn: async ({ signal }) =>
      (await (await callAuthDoor('/user/events', { signal })).json()) as AccountEvent[],
  })
}

export async function endSessionById(id: string): Promise<void> {
  await callAuthDoor(`/user/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' })
}
