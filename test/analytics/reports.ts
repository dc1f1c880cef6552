import type { ClickReport } from '#domain/reports/report-answers.ts'
import type { TestServer } from '#test/server.ts'
import { type Account, send } from '#test/tables/accounts.ts'

/** Arguments of `click_report` without the underscores. Default range: the last day. */
export interface ReportQuery {
  scope?: string
  id?: string
  by: string
  from?: string
  to?: string
  filters?: Record<string, string[]>
  include?: string[]
  limit?: number
  exact?: boolean
}

export const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

/** Calls `click_report` over HTTP. */
export async function askReport(server: TestServer, account: Account, query: ReportQuery) {
  const given = { scope: 'account', from: hoursAgo(24), to: hoursAgo(-1), limit: 1_000, ...query }
  const body = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [`_${name}`, value] as const),
  )
  return send(server, account, 'POST', 'rpc/click_report', body)
}

/** @throws when the report is refused */
export async function reportOf(
  server: TestServer,
  account: Account,
  query: ReportQuery,
): Promise<ClickReport> {
  const { status, body } = await askReport(server, account, query)
  if (status !== 200) throw new Error(`the report answered ${status}: ${JSON.stringify(body)}`)
  return body as ClickReport
}
