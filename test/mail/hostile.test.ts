import { afterAll, beforeAll, expect, it } from 'vitest'
import { compose } from '#server/mail/deliver.ts'
import { renderEmail } from '#server/mail/layout.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { scriptInjections } from '#test/fixtures/script-injections.ts'
import { aReceipt, enqueue, mailConfig, outboxRows } from './mails.ts'
import { startSmtp, type TestSmtp } from './smtp.ts'

let mailbox: TestSmtp
let server: TestServer
beforeAll(async () => {
  mailbox = await startSmtp()
  server = await startTestServer({
    ...mailConfig({ SMTP_URL: mailbox.url, MAIL_FROM: 'mail@go.example' }),
    publicUrl: 'https://go.example',
  })
})
afterAll(async () => {
  await server.close()
  await mailbox.close()
})

const lineBreaks = ['\r\n', '\n', '\r', '\u0085', '\u2028', '\0', '\r\n\r\n', '\r\n.\r\n']

it('a line break in any text makes neither a header, nor a paragraph, nor an SMTP command', async () => {
  const evil = lineBreaks.map(
    (line) => `Nice${line}Bcc: evil@example.net${line}RCPT TO:<evil@example.net>`,
  )
  for (const [index, text] of evil.entries()) {
    await enqueue(server, {
      key: `line-${index}`,
      template: 'test',
      recipient: 'a@example.com',
      data: { note: text },
    })
  }
  await server.context.mail.drain()
  expect(mailbox.received).toHaveLength(evil.length)
  for (const { recipient, mail, raw } of mailbox.received) {
    expect(recipient).toBe('a@example.com')
    expect(mail.to).toEqual([{ name: '', address: 'a@example.com' }])
    expect(mail.bcc ?? []).toEqual([])
    expect(raw).not.toMatch(/^bcc:/im)
    expect(mail.text).not.toMatch(/^(Bcc|RCPT)/m)
    expect(mail.text).toMatch(/^Nice (\. )?Bcc: evil@example\.net/m)
  }
  // The layout holds this for all that a template may ever put into a letter.
  for (const text of evil) {
    const { subject, text: plain } = renderEmail(
      {
        subject: text,
        title: text,
        parts: [text, { facts: [[text, text]] }, { button: text, to: '/' }],
      },
      'https://go.example',
    )
    expect(subject).not.toMatch(/[\r\n\0\u0085\u2028]/)
    expect(plain).not.toMatch(/^(Bcc|RCPT)/m)
  }
})

it('an address that holds more than one address gets no email', async () => {
  const before = mailbox.received.length
  const addresses = [
    'a@example.com, evil@example.net',
    'a@example.com\r\nBcc: evil@example.net',
    'a@example.com\nevil@example.net',
    'a@example.com>\r\nRCPT TO:<evil@example.net',
    'Name <evil@example.net>',
    '"a@example.com"@example.net;b@example.com',
    'a b@example.com',
    'nobody',
    'a@b@example.com',
  ]
  for (const [index, recipient] of addresses.entries())
    await enqueue(server, aReceipt(`many-${index}`, recipient))
  await server.context.mail.drain()
  expect(mailbox.received.slice(before)).toEqual([])
  const rows = (await outboxRows(server)).filter(({ key }) => key.startsWith('many-'))
  expect(rows).toHaveLength(addresses.length)
  for (const row of rows) {
    expect(row).toMatchObject({
      failed: true,
      last_error: 'the recipient is not an email address',
      data: {},
    })
  }
})

it.each([
  ['click-milestone', { code: 'sale', clicks: 100 }],
  ['weekly-summary', { clicks: 1, before: 2, visitors: 1, busiest: [] }],
  ['link-health', { dead: 1, moved: 0, certificate: 2 }],
])('the email %s leads to the settings that turn it off', (template, data) => {
  const { html, text } = compose(
    { id: 'x', template, recipient: 'ann@example.com', data, created_at: new Date() },
    {
      from: { name: 'Hoplet', address: 'mail@go.example' },
      site: { publicUrl: 'https://go.example', linksUrl: 'https://go.example' },
    },
  )
  expect(html).toContain('href="https://go.example/settings"')
  expect(text).toContain('https://go.example/settings\n')
})

it('emails show other people’s input as text in the HTML, never as markup', () => {
  for (const text of [
    ...scriptInjections,
    '<img src=x onerror=alert(1)>',
    '"><b>',
    '&lt;script&gt;',
  ]) {
    const { html } = renderEmail(
      {
        subject: text,
        title: text,
        parts: [text, { facts: [[text, text]] }, { button: text, to: '/' }],
      },
      'https://go.example',
    )
    const tags = [...html.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name?.toLowerCase())
    expect(new Set(tags)).toEqual(new Set(expectedTags))
    expect(html).not.toMatch(/<[^>]*\son\w+=/i)
  }
})

const expectedTags = [
  'html',
  'head',
  'meta',
  'title',
  'style',
  'body',
  'table',
  'tr',
  'td',
  'span',
  'h1',
  'p',
  'a',
]

it('links only to the public address, with any data and request', async () => {
  for (const to of [
    'https://evil.example/steal',
    '//evil.example/steal',
    '\\\\evil.example/steal',
    'https://go.example@evil.example/steal',
    'javascript:alert(1)',
    'data:text/html,x',
  ]) {
    const { html, text } = renderEmail(
      { subject: 's', title: 't', parts: [{ button: 'Go', to }] },
      'https://go.example',
    )
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(
      ([, href]) => new URL(href ?? '').origin,
    )
    expect(links).toEqual(['https://go.example'])
    expect(
      [...text.matchAll(/https?:\S+|javascript:\S+/g)].map(([link]) => new URL(link).origin),
    ).toEqual(['https://go.example'])
  }
  expect(
    renderEmail(
      {
        subject: 's',
        title: 't',
        parts: [{ button: 'Go', to: 'http://old.example/upgrade?success=true#x' }],
      },
      'https://go.example',
    ).text,
  ).toContain('\nhttps://go.example/upgrade?success=true#x\n')

  await fetch(`${server.url}/upgrade`, {
    headers: { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
  })
  await enqueue(server, {
    key: 'failed',
    template: 'payment-failed',
    recipient: 'poisoned@example.com',
    data: {
      plan: 'business',
      amount: 2900,
      currency: 'eur',
      nextAttempt: null,
      portalUrl: 'https://evil.example/portal',
    },
  })
  await server.context.mail.drain()
  const poisoned = mailbox.received.at(-1)
  expect(poisoned?.recipient).toBe('poisoned@example.com')
  expect(`${poisoned?.mail.text}${poisoned?.mail.html}`).not.toContain('evil.example')
  expect(poisoned?.mail.text).toContain('https://go.example/portal')
})

it('an email loads nothing from anywhere', () => {
  const { html } = compose(
    { ...aReceipt('x'), id: '1', created_at: new Date() },
    {
      from: { name: 'Hoplet', address: 'h@example.com' },
      site: { publicUrl: 'https://go.example', linksUrl: 'https://go.example' },
    },
  ) as { html: string }
  expect(html).not.toMatch(/<(img|link|script|iframe|video|audio|object|svg)|url\(|@import|src=/i)
})

it('data that the template does not know is refused before anything is written', async () => {
  const wrong = {
    key: 'wrong',
    template: 'receipt',
    recipient: 'a@example.com',
    data: { plan: 'gold' },
  }
  await expect(enqueue(server, wrong as never)).rejects.toThrow(/plan/)
  expect((await outboxRows(server)).filter(({ key }) => key === 'wrong')).toEqual([])
})

it('an email lets a row that cannot be rendered fail alone; a template of a newer version waits for it', async () => {
  const before = mailbox.received.length
  await server.sql(`insert into app.mail_outbox (key, template, recipient) values
    ('x-broken', 'receipt', 'a@example.com'), ('x-newer', 'of-tomorrow', 'a@example.com'), ('x-proto', 'constructor', 'a@example.com')`)
  await enqueue(server, aReceipt('x-fine'))
  await server.context.mail.drain()
  const rows = new Map((await outboxRows(server)).map((row) => [row.key, row]))
  expect(rows.get('x-broken')).toMatchObject({ failed: true })
  expect(rows.get('x-newer')).toMatchObject({ failed: false, sent: false, attempts: 1 })
  expect(rows.get('x-proto')).toMatchObject({ failed: false, sent: false })
  expect(rows.get('x-fine')).toMatchObject({ sent: true })
  expect(mailbox.received.slice(before)).toHaveLength(1)
})
