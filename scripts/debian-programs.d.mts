export function findProgram(
  name:
    | 'nats-server'
    | 'pgbouncer'
    | 'promtool'
    | 'caddy'
    | 'nginx'
    | 'systemd-analyze'
    | 'age'
    | 'pdftoppm'
    | 'curl'
    | 'firefox-esr'
    | 'WebKitWebDriver'
    | 'Xvfb',
): string | undefined
export function ensurePrograms(): Promise<string[]>
