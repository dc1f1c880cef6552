import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect } from 'vitest'
import type { Logger } from '#server/log.ts'
import type { TestServer } from '#test/server.ts'

/** A log of everything, with nothing struck out, that can be read. */
export function keepLog(): { log: Logger; written(): string } {
  let written = ''
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk)
      done()
    },
  })
  return { log: pino({ level: 'trace' }, sink), written: () => written }
}

/** Which of these secrets stand in the log or in the table of events. Codes of six digits count where they stand alone. */
export async function leaksOf(
  server: Pick<TestServer, 'context' | 'sql'>,
  written: string,
  secrets: Record<string, string>,
): Promise<string[]> {
  await server.context.securityEvents.flush()
  const rows = JSON.stringify(await server.sql('select * from auth.security_events'))
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const isCode = /^\d{6}$/.test(secret)
    // A secret that was never there would prove nothing.
    expect([name, secret.length > 8 || isCode]).toEqual([name, true])
    const mark = isCode ? new RegExp(`(?<![\\w.-])${secret}(?![\\w.-])`) : secret
    const isIn = (text: string) => (mark instanceof RegExp ? mark.test(text) : text.includes(mark))
    return [
      ...(isIn(written) ? [`${name} in the log`] : []),
      ...(isIn(rows) ? [`${name} in the events`] : []),
    ]
  })
}

/** Plants one in each place, and expects {@link leaksOf} to find it. */
export async function expectToFind(
  server: Pick<TestServer, 'context' | 'sql'>,
  kept: ReturnType<typeof keepLog>,
  secrets: Record<string, string>,
): Promise<void> {
  for (const [name, secret] of Object.entries(secrets)) {
    kept.log.trace({ deep: { inside: [`x=${secret}`] } }, 'planted')
    await server.sql(`insert into auth.security_events (event, facts) values ('planted', $1)`, [
      JSON.stringify({ planted: secret }),
    ])
    expect(await leaksOf(server, kept.written(), { [name]: secret })).toEqual([
      `${name} in the log`,
      `${name} in the events`,
    ])
  }
}
