import pino from 'pino'

export type Logger = pino.Logger

/** As pino numbers it. */
const errorLevel = 50

/**
 * One JSON object a line on standard output. Secrets never belong in a log call; the redactions are a second net.
 *
 * An outage that has its line (postgres/outage-lines.ts) fills the log with nothing else: warnings about it are dropped, and
 * errors keep their line without the stack.
 */
export function createLog(level: string, destination?: pino.DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level,
    hooks: { logMethod: shortenOutage },
    base: null,
    timestamp: () => `,"ts":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    redact: [
      'password',
      '*.password',
      'refresh_token',
      '*.refresh_token',
      'authorization',
      '*.authorization',
    ],
  }
  return destination ? pino(options, destination) : pino(options)
}

function shortenOutage(
  this: Logger,
  args: Parameters<pino.LogFn>,
  method: pino.LogFn,
  level: number,
): void {
  const [facts, ...rest] = args as [unknown, ...string[]]
  const error = hasError(facts) ? outageIn(facts.err) : undefined
  if (!hasError(facts) || !error) return method.apply(this, args)
  if (level < errorLevel) return
  method.apply(this, [{ ...facts, err: undefined, reason: error.message }, ...rest])
}

const hasError = (facts: unknown): facts is { err: unknown } =>
  typeof facts === 'object' && facts !== null && 'err' in facts

/** The error itself, or the cause of it, that is about an outage with a line. */
function outageIn(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined
  return 'isLogged' in error && error.isLogged === true ? error : outageIn(error.cause)
}
