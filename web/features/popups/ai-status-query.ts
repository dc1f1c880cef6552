import { queryOptions } from '@tanstack/react-query'
import { fetchAiStatus } from './generate.ts'

/** Whether an AI is connected to the server; only a restart changes it. */
export const aiStatusQuery = queryOptions({
  queryKey: ['ai-status'],
  queryFn: fetchAiStatus,
  staleTime: Infinity,
})
