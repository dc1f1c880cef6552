import { queryOptions } from '@tanstack/react-query'
import { sessionFactsQuery } from './session-facts.ts'

/** Whether the account is an admin's. */
export function adminQuery(userId: string) {
  return queryOptions({ ...sessionFactsQuery(userId), select: ({ isAdmin }) => isAdmin })
}
