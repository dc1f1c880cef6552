/**
 * The cards of /admin/system and the facts of each. The server answers with a part for each card
 * (server/admin/system-status.ts), the web has a name for each card and words for each fact
 * (web/features/admin/system/status-cards.ts): a card or a fact that either forgets does not compile.
 */
export const statusFacts = {
  database: ['sizeBytes', 'connections', 'maxConnections', 'upSeconds'],
  migrations: ['applied', 'pending', 'last', 'lastAppliedAt'],
  clicks: [
    'mode',
    'degraded',
    'applied',
    'lost',
    'orphaned',
    'corrupt',
    'journalBytes',
    'segments',
    'waitingBytes',
    'oldestWaitingSeconds',
    'entries',
    'databaseDown',
  ],
  outbox: ['waiting', 'failed', 'oldestWaitingSeconds'],
  webhooks: ['lastReceivedAt', 'events24h', 'foundByReconcile24h', 'longestLagSeconds24h'],
  reconcile: ['provider', 'finishedAt', 'readUntil', 'drift'],
  disk: ['freeBytes', 'totalBytes'],
  versions: ['hoplet', 'node', 'postgres'],
} as const satisfies Record<string, readonly string[]>

export type StatusCard = keyof typeof statusFacts
export type StatusFact<Card extends StatusCard> = (typeof statusFacts)[Card][number]
