import pino from 'pino'

export type Logger = pino.Logger

/** One JSON object a line on standard output. Secrets never belong in a log call; the redactions are a second net. */
export function createLog(level: string): Logger {
  return pino({
    level,
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
  })
}
