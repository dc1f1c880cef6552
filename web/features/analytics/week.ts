import type { ClickReport } from '#domain/reports/report-answers.ts'

export const weekdayNames = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
]

/** Clicks of each hour of a week, from Monday at midnight on. */
export function clicksByHour({ rows }: ClickReport): number[] {
  const clicks = Array.from({ length: 7 * 24 }, () => 0)
  for (const row of rows) if (Number(row.key) in clicks) clicks[Number(row.key)] = row.clicks
  return clicks
}

/** The hour of the week with the most clicks; undefined without a click. */
export function bestHourOf(week: ClickReport): { index: number; clicks: number } | undefined {
  const clicks = clicksByHour(week)
  const most = Math.max(...clicks)
  return most === 0 ? undefined : { index: clicks.indexOf(most), clicks: most }
}

/** An hour of a week: Tue 10–11. */
export function hourSpan(index: number): string {
  const hour = index % 24
  return `${weekdayNames[Math.floor(index / 24)]?.slice(0, 3)} ${hour}–${hour + 1}`
}
