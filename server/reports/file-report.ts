import type { Report } from '#domain/forms/report-form.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'

/** Stores a report with the present target of the name. Counts no visit. @throws {DatabaseUnavailableError} */
export async function fileReport(database: Database, report: Report): Promise<void> {
  await queryAs(
    database,
    { role: 'hoplet_worker' },
    `insert into app.abuse_reports
        (name, target_kind, target_id, owner_id, destination, reason, details, reporter_email)
      select $1, kind, id, owner_id, destination, $2, $3, $4 from app.reported_target($1)`,
    [report.name, report.reason, report.details, report.email],
  )
}
