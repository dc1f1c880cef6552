import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'

/** The last backup of the schedule, on any server. */
export interface LastBackup {
  /** In epoch seconds; 0 before the first one. */
  succeededAt: number
  bytes: number
  seconds: number
}

const worker = { role: 'hoplet_worker' } as const

/** The row of a target in `app.backup_schedules`, which all servers of the database share. */
export function createScheduledBackups(database: Database, target: string) {
  return {
    /**
     * Ignore claims in the future: a clock ran fast.
     *
     * @returns whether this server makes the backup of this time of the schedule
     */
    async claim(tick: Date): Promise<boolean> {
      const rows = await queryAs(
        database,
        worker,
        `insert into app.backup_schedules as b (place, claimed_for) values ($1, $2)
          on conflict (place) do update set claimed_for = $2
            where b.claimed_for < $2 or b.claimed_for > now() + interval '5 minutes'
          returning place`,
        [target, tick],
      )
      return rows.length === 1
    },
    async recordSuccess({ bytes, seconds }: Omit<LastBackup, 'succeededAt'>): Promise<void> {
      await queryAs(
        database,
        worker,
        'update app.backup_schedules set succeeded_at = now(), bytes = $2, seconds = $3 where place = $1',
        [target, bytes, seconds],
      )
    },
    async last(): Promise<LastBackup> {
      const [row] = await queryAs<{
        at: number | null
        bytes: string | null
        seconds: number | null
      }>(
        database,
        worker,
        `select extract(epoch from succeeded_at)::float8 as at, bytes, seconds
          from app.backup_schedules where place = $1`,
        [target],
      )
      return {
        succeededAt: row?.at ?? 0,
        bytes: Number(row?.bytes ?? 0),
        seconds: row?.seconds ?? 0,
      }
    },
  }
}
