import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ClickReport } from '#domain/reports/report-answers.ts'
import { isTimeZone } from './period/zoned-time.ts'
import { timeZoneQuery } from '#web/clicks/time-zone-query.ts'

/** The time zone of the person's reports; undefined while loading. */
export function useTimeZone(userId: string): string | undefined {
  const { data, isPending } = useQuery(timeZoneQuery(userId))
  if (isPending) return undefined
  return data !== undefined && isTimeZone(data) ? data : 'UTC'
}

/** A report says its time zone: on another device it may have become another one. */
export function useZoneOfReport(userId: string, report: ClickReport | undefined): void {
  const client = useQueryClient()
  const zone = report?.time_zone
  useEffect(() => {
    if (zone !== undefined && isTimeZone(zone))
      client.setQueryData(timeZoneQuery(userId).queryKey, zone)
  }, [client, userId, zone])
}
