export function findProgram(
  name:
    | 'nats-server'
    | 'pgbouncer'
    | 'promtool'
    | 'caddy'
    | 'nginx'
    | 'systemd-analyze'
    | 'age'
    | 'curl',
): string | undefined
export function ensurePrograms(): Promise<string[]>
