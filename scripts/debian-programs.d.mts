export function findProgram(name: 'nats-server' | 'pgbouncer' | 'curl'): string | undefined
export function ensurePrograms(): Promise<string[]>
