import { createJobs } from '#server/primitives/jobs.ts'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createMailer } from '#server/mail/mail.ts'
import { deleteOldRows } from '#test/delete-old-rows.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { aReceipt, enqueue, outboxRows, readFiles } from './mails.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ publicUrl: 'https://go.example' })
})
afterAll(() => server.close())

it('without a mail server every mail becomes one .eml file that only we may read', async () => {
  const { mail, config } = server.context
  await enqueue(server, aReceipt('one'), aReceipt('two'), aReceipt('one'))
  expect(await mail.status()).toMatchObject({ waiting: 2, failed: 0 })
  await mail.drain()
  expect(await mail.status()).toEqual({ waiting: 0, failed: 0, oldestWaitingSeconds: null })

  const files = await readFiles(config.dataDir)
  expect(files).toHaveLength(2)
  const rows = await outboxRows(server)
  for (const [index, { name, raw, mail: read }] of files.entries()) {
    expect(name).toMatch(/^\d{14}-receipt-[0-9a-f-]{36}\.eml$/)
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(read).toMatchObject({
      from: { name: 'Hoplet', address: 'hoplet@localhost' },
      subject: 'Your receipt for Hoplet Pro',
    })
    expect(read.text).toContain('https://go.example/upgrade')
    expect(read.html).toContain('https://go.example/upgrade')
    expect(rows.map(({ id }) => `<${id}@localhost>`)).toContain(read.messageId)
    const { mode } = await stat(join(config.dataDir, 'outbox', files[index]?.name ?? ''))
    expect(mode & 0o777).toBe(0o600)
  }
  expect(rows).toMatchObject([
    { key: 'one', sent: true, attempts: 1, data: {}, last_error: null },
    { key: 'two', sent: true, attempts: 1, data: {}, last_error: null },
  ])
})

it('the same mail twice is one file', async () => {
  const before = await readFiles(server.context.config.dataDir)
  const data = JSON.stringify(aReceipt('one').data)
  await server.sql(
    'update app.mail_outbox set sent_at = null, next_attempt_at = now(), data = $1',
    [data],
  )
  await server.context.mail.drain()
  const after = await readFiles(server.context.config.dataDir)
  expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name))
})

it('files are deleted after a week', async () => {
  const { mail, config } = server.context
  const named = (at: number) =>
    `${new Date(at).toISOString().replaceAll(/\D/g, '').slice(0, 14)}-receipt-x.eml`
  const day = 24 * 60 * 60_000
  const [old, young] = [named(Date.now() - 8 * day), named(Date.now() - 6 * day)]
  for (const name of [old, young, 'notes.txt'])
    await writeFile(join(config.dataDir, 'outbox', name), 'a letter')
  await enqueue(server, aReceipt('later'))
  await mail.drain()
  const left = await readdir(join(config.dataDir, 'outbox'))
  expect(left).not.toContain(old)
  expect(left).toEqual(expect.arrayContaining([young, 'notes.txt']))
  await rm(join(config.dataDir, 'outbox', young))
})

it('the outbox goes out soon after it was queued, without a signal', async () => {
  await enqueue(server, aReceipt('soon'))
  server.context.mail.wake()
  await expect.poll(async () => (await server.context.mail.status())?.waiting).toBe(0)
})

it('the log tells the file and the link, and no address', async () => {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  const { config, database } = server.context
  const mailer = createMailer({ config, database, log, jobs: createJobs({ log }) })
  await enqueue(server, aReceipt('logged'))
  await mailer.drain()
  await mailer.close()
  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(told).toContainEqual(
    expect.objectContaining({
      file: expect.stringMatching(/outbox\/\d{14}-receipt-.*\.eml$/) as string,
      link: 'https://go.example/upgrade',
    }),
  )
  expect(lines.join('')).not.toContain('logged@example.com')
})

it('the outbox keeps sent and given-up mails for 90 days', async () => {
  await enqueue(
    server,
    ...['old-sent', 'old-failed', 'old-waiting', 'new'].map((key) => aReceipt(key)),
  )
  const old = `now() - interval '91 days'`
  await server.sql(`update app.mail_outbox set sent_at = ${old} where key = 'old-sent'`)
  await server.sql(`update app.mail_outbox set failed_at = ${old} where key = 'old-failed'`)
  await server.sql(`update app.mail_outbox set created_at = ${old} where key = 'old-waiting'`)
  await deleteOldRows(server.context)
  const keys = (await outboxRows(server)).map(({ key }) => key)
  expect(keys).toEqual(expect.arrayContaining(['old-waiting', 'new']))
  expect(keys).not.toContain('old-sent')
  expect(keys).not.toContain('old-failed')
})

it('the outbox warns when a public server cannot send email, and never logs its links', async () => {
  const started = async (variables: Record<string, string>) => {
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    const { mail } = createConfig(parseVariables(variables))
    const mailed = await startTestServer({ mail, publicUrl: variables['PUBLIC_URL'] }, {}, log)
    try {
      await mailed.context.mail.drain()
      await fetch(`${mailed.url}/auth/v1/otp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'ada@example.com' }),
      })
      await mailed.context.mail.drain()
    } finally {
      await mailed.close()
    }
    return lines.join('')
  }
  const shared = await started({ PUBLIC_URL: 'https://go.example' })
  expect(shared).toContain('SMTP_URL is not set')
  expect(shared).toContain('email written to a file')
  expect(shared).not.toContain('/auth/v1/verify?')
  const own = await started({ PUBLIC_URL: 'http://localhost:3000' })
  expect(own).not.toContain('SMTP_URL is not set: emails')
  expect(own).toContain('/auth/v1/verify?')
})
