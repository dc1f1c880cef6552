import type { StatusCard, StatusFact } from '#domain/status-cards.ts'
import { momentOf } from '#web/ui/time-words.ts'

const count = new Intl.NumberFormat('en-US')

type Write = (value: number) => string

type FactWords = readonly [name: string, write?: Write]

const cards: {
  readonly [Card in StatusCard]: {
    readonly name: string
    readonly facts: Readonly<Record<StatusFact<Card>, FactWords>>
  }
} = {
  database: {
    name: 'Database',
    facts: {
      sizeBytes: ['Size', bytes],
      connections: ['Connections'],
      maxConnections: ['Max connections'],
      upSeconds: ['Up for', duration],
    },
  },
  migrations: {
    name: 'Migrations',
    facts: {
      applied: ['Applied'],
      pending: ['Not applied'],
      last: ['Newest'],
      lastAppliedAt: ['Applied at'],
    },
  },
  clicks: {
    name: 'Click counting',
    facts: {
      mode: ['Mode'],
      degraded: ['Journal unwritable'],
      applied: ['Applied'],
      lost: ['Lost'],
      orphaned: ['On deleted links'],
      corrupt: ['Damaged records'],
      journalBytes: ['Journal', bytes],
      segments: ['Journal files'],
      waitingBytes: ['Waiting', bytes],
      oldestWaitingSeconds: ['Oldest in queue', duration],
      entries: ['Links in memory'],
      databaseDown: ['Database unreachable'],
    },
  },
  outbox: {
    name: 'Mail',
    facts: {
      waiting: ['Waiting'],
      failed: ['Undeliverable'],
      oldestWaitingSeconds: ['Oldest in queue', duration],
    },
  },
  webhooks: {
    name: 'Payment events',
    facts: {
      lastReceivedAt: ['Last event'],
      events24h: ['Events in 24 hours'],
      foundByReconcile24h: ['Reconciled (24 h)'],
      longestLagSeconds24h: ['Longest delay in 24 hours', duration],
    },
  },
  reconcile: {
    name: 'Payment comparison',
    facts: {
      provider: ['Provider'],
      finishedAt: ['Last run'],
      readUntil: ['Read until'],
      drift: ['Differences found'],
    },
  },
  disk: {
    name: 'Disk',
    facts: { freeBytes: ['Free', bytes], totalBytes: ['In total', bytes] },
  },
  versions: {
    name: 'Versions',
    facts: { hoplet: ['Hoplet'], node: ['Node'], postgres: ['PostgreSQL'] },
  },
}

/** The name of a card as people read it; a card of a newer server keeps its own. */
export function cardName(card: string): string {
  return isCard(card) ? cards[card].name : card
}

/** A fact of a card as people read it; a fact of a newer server is shown under its own name. */
export function factWords(
  card: string,
  fact: string,
  value: unknown,
): { name: string; text: string } {
  const facts: Readonly<Record<string, FactWords>> = isCard(card) ? cards[card].facts : {}
  const [name, write] = facts[fact] ?? [spaced(fact)]
  return { name, text: typeof value === 'number' && write ? write(value) : textOf(value) }
}

function isCard(card: string): card is StatusCard {
  return Object.hasOwn(cards, card)
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
