import { momentOf } from '#web/ui/time-words.ts'

const count = new Intl.NumberFormat('en-US')

type Write = (value: number) => string

const names: Record<string, readonly [name: string, write?: Write]> = {
  sizeBytes: ['Size', bytes],
  connections: ['Connections'],
  maxConnections: ['Connections at most'],
  upSeconds: ['Up for', duration],
  applied: ['Applied'],
  pending: ['Not applied'],
  last: ['Newest'],
  lastAppliedAt: ['Applied at'],
  degraded: ['Journal unwritable'],
  orphaned: ['On deleted links'],
  corrupt: ['Damaged records'],
  journalBytes: ['Journal', bytes],
  segments: ['Journal files'],
  entries: ['Links in memory'],
  waiting: ['Waiting'],
  waitingBytes: ['Waiting', bytes],
  failed: ['Undeliverable'],
  oldestWaitingSeconds: ['Oldest waits for', duration],
  lastReceivedAt: ['Last event'],
  events24h: ['Events in 24 hours'],
  foundByReconcile24h: ['Found by comparison in 24 hours'],
  longestLagSeconds24h: ['Longest delay in 24 hours', duration],
  finishedAt: ['Last run'],
  readUntil: ['Read until'],
  drift: ['Differences found'],
  voidedPlans: ['Play-money plans ended'],
  freeBytes: ['Free', bytes],
  totalBytes: ['In total', bytes],
  postgres: ['PostgreSQL'],
  node: ['Node'],
  hoplet: ['Hoplet'],
  databaseDown: ['Database unreachable'],
}

/** A fact of the status page as people read it. Facts that are not known here are shown under their own name. */
export function factWords(key: string, value: unknown): { name: string; text: string } {
  const [name, write] = names[key] ?? [spaced(key)]
  return { name, text: typeof value === 'number' && write ? write(value) : textOf(value) }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return count.format(value)
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map(textOf).join(', ')
  if (typeof value !== 'string') return JSON.stringify(value)
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? momentOf(value) : value
}

/** 'oldestWaiting' as Oldest waiting. */
function spaced(key: string): string {
  const words = key.replace(/([a-z\d])([A-Z])/g, (_, end: string, start: string) => {
    return `${end} ${start.toLowerCase()}`
  })
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function bytes(value: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(value, 1)) / 3))
  return `${count.format(Number((value / 1000 ** unit).toPrecision(3)))} ${units[unit] ?? ''}`
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} days`
}
