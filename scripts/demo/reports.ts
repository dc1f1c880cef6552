import type { Report } from '#domain/forms/report-form.ts'
import type { Database } from '#server/postgres/database.ts'
import { fileReport } from '#server/reports/file-report.ts'
import type { FrontDoor } from './front-door.ts'

interface DemoReport extends Report {
  /** Days ago; decided a day later. */
  ago: number
  /** Undefined: not decided yet. */
  upheld?: boolean
}

const reports: readonly DemoReport[] = [
  {
    name: 'parcel-fee',
    reason: 'phishing',
    details: 'Came as a text message: my parcel waits until I pay $1.99. It wants my card number.',
    email: 'lena@reader.example',
    ago: 8,
    upheld: true,
  },
  {
    name: 'ines-picks',
    reason: 'spam',
    details: 'Someone posts this under every second video.',
    email: undefined,
    ago: 20,
    upheld: false,
  },
  {
    name: 'harbour-jobs',
    reason: 'impersonation',
    details: 'They asked me for a fee before the interview. Is this really the bookshop?',
    email: 'tom@reader.example',
    ago: 1,
  },
]

/** Reports by visitors: one is open, two are decided. */
export async function fileReports(
  database: Database,
  door: FrontDoor,
  adminToken: string,
): Promise<void> {
  for (const { ago, upheld, ...report } of reports) {
    await fileReport(database, report)
    if (upheld !== undefined) {
      const open = (await door.call(adminToken, 'admin_reports', {})) as {
        id: string
        name: string
      }[]
      const _id = open.find(({ name }) => name === report.name)?.id
      await door.call(adminToken, 'admin_decide_report', { _id, _uphold: upheld })
    }
    await database.transactionAs({ role: 'hoplet_owner' }, (db) =>
      db.query(
        `update app.abuse_reports set created_at = created_at - make_interval(days => $2),
            decided_at = decided_at - make_interval(days => $2 - 1)
          where name = $1`,
        [report.name, ago],
      ),
    )
  }
}
