import { createJobs } from '#server/primitives/jobs.ts'
import { afterEach, expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { createMailer } from '#server/mail/mail.ts'
import { enqueueMail } from '#server/mail/outbox.ts'
import { type Database, openDatabase } from '#server/postgres/database.ts'
import { createTestDatabase } from '#test/database.ts'
import { startTestServer } from '#test/server.ts'
import { aReceipt, enqueue, hurry, mailConfig, outboxRows } from './mails.ts'
import { startSmtp, type TestSmtp } from './smtp.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

type Behavior = Parameters<typeof startSmtp>[0]

async function smtp(behavior?: Behavior): Promise<TestSmtp> {
  const started = await startSmtp(behavior)
  cleanups.push(started.close)
  return started
}

/** The part of a server that sends mails, which go to `url` when it is told to look into its outbox. */
async function senderFor(url: string, { timeLimit }: { timeLimit?: number } = {}) {
  const { mail } = mailConfig({ SMTP_URL: url, MAIL_FROM: 'Hop <mail@go.example>' }, timeLimit)
  const { url: databaseUrl, sql, drop } = await createTestDatabase()
  cleanups.push(drop)
  const log = createLog('silent')
  const database = openDatabase(databaseUrl, log)
  cleanups.push(() => database.close())
  const config = {
    mail,
    publicUrl: 'https://go.example',
    linksUrl: 'https://go.example',
    dataDir: '',
  }
  const mailer = createMailer({ config, database, log, jobs: createJobs({ log }) })
  cleanups.push(mailer.close)
  return { sql, context: { config, log, database, mail: mailer } }
}

const messageIds = ({ received }: TestSmtp) => received.map(({ mail }) => mail.messageId)

it('the outbox sends each mail once, in plain text and HTML, from the sender that is configured', async () => {
  const mailbox = await smtp()
  const { mail } = mailConfig({ SMTP_URL: mailbox.url, MAIL_FROM: 'Hop <mail@go.example>' })
  const server = await startTestServer({ mail, publicUrl: 'https://go.example' })
  cleanups.push(server.close)
  await enqueue(server, aReceipt('a'), aReceipt('b'))
  await server.context.mail.drain()
  await server.context.mail.drain()
  expect(mailbox.received.map(({ recipient }) => recipient).sort()).toEqual([
    'a@example.com',
    'b@example.com',
  ])
  for (const { sender, mail } of mailbox.received) {
    expect(sender).toBe('mail@go.example')
    expect(mail.from).toMatchObject({ name: 'Hop', address: 'mail@go.example' })
    expect(mail.text).toContain('We have received $7.00 for Hoplet Pro.')
    expect(mail.html).toContain('We have received $7.00 for Hoplet Pro.')
    expect(mail.messageId).toMatch(/^<[0-9a-f-]{36}@go\.example>$/)
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')
  }
  expect(await outboxRows(server)).toMatchObject([
    { key: 'a', sent: true, data: {} },
    { key: 'b', sent: true, data: {} },
  ])
})

it('an email in a transaction that is rolled back is never sent', async () => {
  const mailbox = await smtp()
  const server = await senderFor(mailbox.url)
  const { database, mail } = server.context
  await expect(
    database.transactionAs({ role: 'hoplet_billing' }, async (db) => {
      await enqueueMail(db, aReceipt('never'))
      throw new Error('something else went wrong')
    }),
  ).rejects.toThrow('something else')
  await mail.drain()
  expect(mailbox.received).toEqual([])
})

it('the outbox delivers 100 emails that were queued while the mail server was down, none of them twice', async () => {
  const down = await startSmtp()
  await down.close()
  const server = await senderFor(down.url)
  const keys = Array.from({ length: 100 }, (_, i) => `down-${i}`)
  await enqueue(server, ...keys.map((key) => aReceipt(key)))
  await server.context.mail.drain()
  await server.context.mail.drain()
  const before = await outboxRows(server)
  expect(before.filter(({ sent }) => sent)).toEqual([])
  // The worker does not try a hundred times while the mail server refuses connections.
  const tried = before.filter(({ last_error }) => last_error !== null)
  expect(tried.length).toBeLessThanOrEqual(8)
  expect(before.every(({ attempts }) => attempts === 0)).toBe(true)
  expect(before.some(({ last_error }) => last_error?.includes('ECONNREFUSED'))).toBe(true)

  const mailbox = await smtp({ port: down.port })
  // Those that were tried wait for nothing else.
  await server.context.mail.drain()
  await server.context.mail.drain()
  expect(mailbox.received.map(({ recipient }) => recipient).sort()).toEqual(
    keys.map((key) => `${key}@example.com`).sort(),
  )
  expect(new Set(messageIds(mailbox)).size).toBe(100)
  expect(await server.context.mail.status()).toMatchObject({ waiting: 0, failed: 0 })
})

/** How often each of 60 mails arrived that two servers sent at once, most often first. */
async function sentByTwo(alter: (database: Database) => Database): Promise<number[]> {
  const mailbox = await smtp({ slow: () => 20 })
  const server = await senderFor(mailbox.url)
  const { config, log } = server.context
  const database = alter(server.context.database)
  const [one, two] = [0, 1].map(() =>
    createMailer({ config, database, log, jobs: createJobs({ log }) }),
  )
  if (!one || !two) throw new Error('two mailers')
  cleanups.push(one.close, two.close)
  await enqueue(server, ...Array.from({ length: 60 }, (_, i) => aReceipt(`both-${i}`)))
  // The server's own mailer may have woken up as well, and hold a mail of them.
  await Promise.all([one, two, server.context.mail].map((mailer) => mailer.drain()))
  const copies = new Map<string | undefined, number>()
  for (const id of messageIds(mailbox)) copies.set(id, (copies.get(id) ?? 0) + 1)
  expect(copies.size).toBe(60)
  return [...copies.values()].sort((a, b) => b - a)
}

it('two servers at once send each mail once', async () => {
  expect((await sentByTwo((database) => database))[0]).toBe(1)
})

it('the outbox is noticed by the same check when no worker holds an email while sending it (control)', async () => {
  const unleased = (text: string) =>
    text.replace('make_interval(secs => $1)', '0 * make_interval(secs => $1)')
  const withoutLease = (database: Database): Database => ({
    ...database,
    transactionAs: (caller, work) =>
      database.transactionAs(caller, (db) =>
        work({ query: (text, values) => db.query(unleased(text), values) }),
      ),
  })
  expect((await sentByTwo(withoutLease))[0]).toBeGreaterThan(1)
})

it('the outbox retries a temporary refusal (4xx) with growing pauses, and never a permanent one (5xx)', async () => {
  const answers: Record<string, number> = {
    'greylisted@example.com': 450,
    'gone@example.com': 550,
  }
  const mailbox = await smtp({
    refuseRecipient: (address) => answers[address],
    refuseMessage: (raw) =>
      raw.includes('N-unwanted') ? 554 : raw.includes('N-later') ? 451 : undefined,
  })
  const server = await senderFor(mailbox.url)
  await enqueue(
    server,
    ...['greylisted', 'gone', 'unwanted', 'later', 'fine'].map((key) => aReceipt(key)),
  )
  await server.context.mail.drain()
  const first = new Map((await outboxRows(server)).map((row) => [row.key, row]))
  expect(first.get('fine')).toMatchObject({ sent: true })
  for (const key of ['gone', 'unwanted']) {
    expect(first.get(key)).toMatchObject({ sent: false, failed: true, attempts: 1, data: {} })
  }
  for (const key of ['greylisted', 'later']) {
    expect(first.get(key)).toMatchObject({ sent: false, failed: false, attempts: 1 })
    expect(first.get(key)?.waits).toBeLessThanOrEqual(Math.E)
  }
  for (const attempt of [6, 10, 15]) {
    await server.sql('update app.mail_outbox set attempts = $1 where sent_at is null', [
      attempt - 1,
    ])
    await hurry(server)
    await server.context.mail.drain()
    const row = (await outboxRows(server)).find(({ key }) => key === 'later')
    const pause = Math.exp(Math.min(10, attempt))
    expect(row?.attempts).toBe(attempt)
    expect(row?.waits).toBeLessThanOrEqual(pause)
    expect(row?.waits).toBeGreaterThan(pause - 60)
  }
  delete answers['greylisted@example.com']
  await hurry(server)
  await server.context.mail.drain()
  expect((await outboxRows(server)).filter(({ sent }) => sent).map(({ key }) => key)).toEqual([
    'fine',
    'greylisted',
  ])
  expect(await server.context.mail.status()).toMatchObject({ waiting: 1, failed: 2 })
})

it.each([421, 450])('an answer of %i to some recipients delays no other email', async (code) => {
  const mailbox = await smtp({
    refuseRecipient: (address) => (address.startsWith('busy') ? code : undefined),
  })
  const server = await senderFor(mailbox.url)
  const busy = Array.from({ length: 12 }, (_, i) => `busy-${i}`)
  await enqueue(server, ...[...busy, 'a', 'b', 'c'].map((key) => aReceipt(key)))
  await server.context.mail.drain()
  expect(mailbox.received.map(({ recipient }) => recipient).sort()).toEqual(
    ['a', 'b', 'c'].map((key) => `${key}@example.com`),
  )
  const rest = (await outboxRows(server)).filter(({ sent }) => !sent)
  expect(rest.map(({ key }) => key).sort()).toEqual(busy.toSorted())
  for (const row of rest) expect(row).toMatchObject({ failed: false, attempts: 1 })
})

it('an outage leaves the wait of an email that was put off by an answer', async () => {
  const greylist = new Set(['later@example.com'])
  const mailbox = await smtp({
    refuseRecipient: (address) => (greylist.has(address) ? 450 : undefined),
  })
  const server = await senderFor(mailbox.url)
  await enqueue(server, aReceipt('later'))
  await server.sql('update app.mail_outbox set attempts = 8')
  await server.context.mail.drain()
  const waitOf = async () =>
    (await outboxRows(server)).find(({ key }) => key === 'later')?.waits ?? 0
  expect(await waitOf()).toBeGreaterThan(3_600)
  await mailbox.close()
  await enqueue(server, aReceipt('next'))
  await server.context.mail.drain()
  const back = await smtp({ port: mailbox.port })
  await server.context.mail.drain()
  expect(back.received.map(({ recipient }) => recipient)).toEqual(['next@example.com'])
  expect(await waitOf()).toBeGreaterThan(3_600)
  expect(await outboxRows(server)).toMatchObject([{ attempts: 9 }, { sent: true }])
})

it('an email that no server took for four days is given up', async () => {
  const down = await startSmtp()
  await down.close()
  const server = await senderFor(down.url)
  await enqueue(server, aReceipt('old'))
  await server.context.mail.drain()
  expect(await outboxRows(server)).toMatchObject([{ failed: false, attempts: 0 }])
  await server.sql(`update app.mail_outbox set created_at = now() - interval '5 days'`)
  await server.context.mail.drain()
  expect(await outboxRows(server)).toMatchObject([{ failed: true, data: {} }])
})

it('a sender and recipients with international domains travel in ASCII', async () => {
  const mailbox = await smtp()
  const { mail } = mailConfig({ SMTP_URL: mailbox.url, MAIL_FROM: 'Hüpf <post@hüpf.example>' })
  const server = await startTestServer({ mail, publicUrl: 'https://go.example' })
  cleanups.push(server.close)
  await enqueue(server, { ...aReceipt('a'), recipient: 'r&d/ann@bücher.example' })
  await server.context.mail.drain()
  const [got] = mailbox.received
  expect(got?.raw).toMatch(/^To: r&d\/ann@xn--bcher-kva\.example\r$/m)
  expect(got?.raw).toMatch(/^From: .*<post@xn--hpf-hoa\.example>\r$/m)
  expect(got?.raw).toMatch(/^[\t -~]*$/m)
  expect(got?.mail.messageId).toMatch(/^<[0-9a-f-]{36}@xn--hpf-hoa\.example>$/)
  expect(got?.mail.from).toMatchObject({ name: 'Hüpf' })
})

it('the outbox gives up after 24 attempts', async () => {
  const mailbox = await smtp({ refuseRecipient: () => 450 })
  const server = await senderFor(mailbox.url)
  await enqueue(server, aReceipt('never'))
  await server.sql('update app.mail_outbox set attempts = 22')
  await server.context.mail.drain()
  expect(await outboxRows(server)).toMatchObject([{ attempts: 23, failed: false }])
  await hurry(server)
  await server.context.mail.drain()
  expect(await outboxRows(server)).toMatchObject([{ attempts: 24, failed: true, data: {} }])
})

it('the outbox gives up on a hanging mail server after the timeout, and the other emails go on', async () => {
  const mailbox = await smtp({ slow: (address) => (address === 'stuck@example.com' ? 30_000 : 0) })
  const server = await senderFor(mailbox.url, { timeLimit: 2_000 })
  await enqueue(server, aReceipt('stuck'), ...['a', 'b', 'c', 'd', 'e'].map((key) => aReceipt(key)))
  await server.context.mail.drain()
  expect(mailbox.received.map(({ recipient }) => recipient).sort()).toEqual(
    ['a', 'b', 'c', 'd', 'e'].map((key) => `${key}@example.com`),
  )
  expect((await outboxRows(server)).at(-1)).toMatchObject({
    key: 'stuck',
    sent: false,
    failed: false,
  })
})

it('the outbox checks certificates, and sends no password in the clear', async () => {
  const selfSigned = await smtp({ options: { secure: true, disabledCommands: ['AUTH'] } })
  const server = await senderFor(selfSigned.url.replace('smtp:', 'smtps:'))
  await enqueue(server, aReceipt('tls'))
  await server.context.mail.drain()
  expect(selfSigned.received).toEqual([])
  expect(await outboxRows(server)).toMatchObject([{ sent: false, failed: false, attempts: 0 }])

  const passwords: unknown[] = []
  const plain = await smtp({
    options: {
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (auth, _session, done) => {
        passwords.push(auth.password)
        done(null, { user: auth.username })
      },
    },
  })
  const address = plain.url.slice('smtp://'.length)
  // The same server under a name that is not this machine's, as far as the settings can tell.
  const far = await senderFor(`smtp://me:secret@${address.replace('127.0.0.1', '0x7f.1')}`)
  await enqueue(far, aReceipt('clear'))
  await far.context.mail.drain()
  expect(passwords).toEqual([])
  expect(await outboxRows(far)).toMatchObject([{ sent: false, failed: false }])

  const near = await senderFor(`smtp://me:secret@${address}`)
  await enqueue(near, aReceipt('near'))
  await near.context.mail.drain()
  expect(passwords).toEqual(['secret'])
  expect(plain.received).toHaveLength(1)
})

it('an email that is being sent when the server stops is sent and recorded as sent', async () => {
  const mailbox = await smtp({ slow: () => 500 })
  const server = await senderFor(mailbox.url)
  const { config, database, log } = server.context
  // The server's own mailer may wake up meanwhile.
  await server.context.mail.close()
  const mailer = createMailer({ config, database, log, jobs: createJobs({ log }) })
  await enqueue(server, ...Array.from({ length: 20 }, (_, i) => aReceipt(`stop-${i}`)))
  const draining = mailer.drain()
  await expect
    .poll(async () => (await outboxRows(server)).some(({ attempts }) => attempts > 0))
    .toBe(true)
  await mailer.close()
  await draining
  const sent = (await outboxRows(server)).filter((row) => row.sent)
  expect(sent.length).toBeGreaterThan(0)
  expect(sent.length).toBeLessThan(20)
  expect(mailbox.received).toHaveLength(sent.length)
})
