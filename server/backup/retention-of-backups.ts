/** How many backups stay: the newest ones, or the newest of as many days, weeks and months. UTC; weeks begin on Monday. */
export type BackupKeep = { count: number } | { daily: number; weekly: number; monthly: number }

const nameFormat =
  /^hoplet-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.tar\.gz(?:\.(?:age|enc))?$/

/** For example `hoplet-20260131T031500Z.tar.gz`, and `.age` after it when it is encrypted (formerly `.enc`). */
export function backupName(at: Date, isEncrypted: boolean): string {
  const time = at.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')
  return `hoplet-${time}.tar.gz${isEncrypted ? '.age' : ''}`
}

/** @returns which of the files may go; files with other names are never among them */
export function expiredBackups(names: readonly string[], keep: BackupKeep): string[] {
  const newestFirst = names
    .flatMap((name) => {
      const at = timeOf(name)
      return at ? [{ name, at }] : []
    })
    .sort((a, b) => b.at.getTime() - a.at.getTime())
  const kept = new Set<string>()
  const keepFirstOf = (count: number, periodOf: (at: Date) => string) => {
    const periods = new Set<string>()
    for (const { name, at } of newestFirst) {
      const period = periodOf(at)
      if (periods.has(period)) continue
      if (periods.size === count) return
      periods.add(period)
      kept.add(name)
    }
  }
  if ('count' in keep) {
    keepFirstOf(keep.count, (at) => at.toISOString())
  } else {
    keepFirstOf(keep.daily, (at) => at.toISOString().slice(0, 10))
    keepFirstOf(keep.weekly, mondayOf)
    keepFirstOf(keep.monthly, (at) => at.toISOString().slice(0, 7))
  }
  return newestFirst.map(({ name }) => name).filter((name) => !kept.has(name))
}

function timeOf(name: string): Date | undefined {
  const [, year, month, day, hour, minute, second] = nameFormat.exec(name) ?? []
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(at.getTime()) ? undefined : at
}

function mondayOf(at: Date): string {
  const day = 24 * 60 * 60_000
  return new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * day).toISOString().slice(0, 10)
}
