import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { callbackify } from 'node:util'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import type { Config } from '#server/config.ts'
import type { Logger } from '#server/log.ts'
import { mailConfig } from '#test/mail/mails.ts'
import { startTestServer, type TestServer } from '#test/server.ts'

export interface ReceivedMail {
  to: string
  /** As it came over the wire. */
  raw: string
  parsed: Email
  /** The mailed address, if there is a button. */
  link: string
  /** The six digits, if there are any. */
  code: string
}

/** A mail server that keeps its mails. */
export interface Mailbox {
  url: string
  received: ReceivedMail[]
  close(): Promise<void>
}

export async function openMailbox(): Promise<Mailbox> {
  const received: ReceivedMail[] = []
  const keep = async (stream: Readable, recipients: string[]) => {
    const raw = await buffer(stream)
    const parsed = await PostalMime.parse(raw)
    for (const to of recipients)
      received.push({ to, raw: raw.toString('latin1'), parsed, ...contentOf(parsed) })
  }
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, { envelope }, callback) {
      const recipients = envelope.rcptTo.map(({ address }) => address)
      callbackify(() => keep(stream, recipients))(callback)
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    close: () => new Promise((done) => server.close(done)),
  }
}

function contentOf({ text = '' }: Email): { link: string; code: string } {
  return {
    link: /^https?:\S+$/m.exec(text)?.[0] ?? '',
    code: /\b\d{6}\b/.exec(text.replaceAll(/^https?:\S+$/gm, ''))?.[0] ?? '',
  }
}

export interface MailingServer extends TestServer {
  mailbox: Mailbox
  /** Sends all that waits, then gives the mails for `email`, newest last. */
  mailsFor(email: string): Promise<ReceivedMail[]>
  /** The newest mail for `email`; fails when there is none. */
  mailFor(email: string): Promise<ReceivedMail>
}

/** A server that sends its mails to a real mail server, and confirms addresses by mail. */
export async function startMailingServer(
  config: Partial<Config> = {},
  log?: Logger,
): Promise<MailingServer> {
  const mailbox = await openMailbox()
  const mail = mailConfig({ SMTP_URL: mailbox.url, MAIL_FROM: 'Hoplet <hoplet@example.com>' })
  const server = await startTestServer({ ...mail, ...config }, {}, log)
  const mailsFor = async (email: string) => {
    await server.context.mail.drain()
    return mailbox.received.filter(({ to }) => to === email)
  }
  return {
    ...server,
    mailbox,
    mailsFor,
    async mailFor(email) {
      for (let i = 0; i < 20; i++) {
        const mail = (await mailsFor(email)).at(-1)
        if (mail) return mail
        await sleep(50)
      }
      throw new Error(`no mail came for ${email}`)
    },
    async close() {
      await server.close()
      await mailbox.close()
    },
  }
}

/** Presses the button of a mailed link's page, as a browser does; nothing is followed. */
export async function pressLink(
  { url }: Pick<TestServer, 'url'>,
  link: string,
  headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
): Promise<{
  status: number
  location: URL
  query: URLSearchParams
  fragment: URLSearchParams
  html: string
}> {
  const form = new URLSearchParams(new URL(link).search)
  const response = await fetch(`${url}/auth/v1/verify`, {
    method: 'POST',
    body: form,
    headers,
    redirect: 'manual',
  })
  const location = new URL(response.headers.get('location') ?? 'http://none.invalid/')
  return {
    status: response.status,
    location,
    query: location.searchParams,
    fragment: new URLSearchParams(location.hash.slice(1)),
    html: await response.text(),
  }
}
