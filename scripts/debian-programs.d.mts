export function findProgram(name: 'nats-server' | 'pgbouncer'): string | undefined
export function ensurePrograms(): Promise<void>
