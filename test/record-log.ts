import { createLog, type Logger } from '#server/log.ts'

/** A log with lines that a test can read. */
export function recordLog(): {
  log: Logger
  lines: Record<string, unknown>[]
  messages(): string[]
} {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>)
  return {
    log: createLog('info', { write }),
    lines,
    messages: () => lines.map(({ msg }) => String(msg)),
  }
}
