import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sendTestMail } from '#server/commands/send-test-mail.ts'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { readFiles } from './mails.ts'
import { startSmtp } from './smtp.ts'

const run = (args: string[], variables: Record<string, string>) =>
  sendTestMail(args, createConfig(parseVariables(variables)), createLog('silent'))

it('npm run mail sends a test email and shows the reply of the mail server', async () => {
  const mailbox = await startSmtp({
    refuseRecipient: (address) => (address === 'gone@example.com' ? 550 : undefined),
  })
  const there = {
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'mail@go.example',
    PUBLIC_URL: 'https://go.example',
  }
  expect(await run(['a@example.com'], there)).toContain(
    'has taken a mail from mail@go.example to a@example.com',
  )
  expect(mailbox.received.map(({ mail }) => mail.subject)).toEqual(['A test mail from Hoplet'])
  expect(mailbox.received[0]?.mail.text).toContain('https://go.example/')
  await expect(run(['gone@example.com'], there)).rejects.toThrow(/^The mail was not sent: .*550/)
  await mailbox.close()
  await expect(run(['a@example.com'], there)).rejects.toThrow(/ECONNREFUSED/)
})

it('without a mail server it says where the file is', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-mail-'))
  expect(await run(['a@example.com'], { DATA_DIR: dataDir })).toContain(join(dataDir, 'outbox'))
  expect(await readFiles(dataDir)).toHaveLength(1)
  await rm(dataDir, { recursive: true })
})

it.each([
  [[]],
  [['a@example.com', 'b@example.com']],
  [['nobody']],
  [['a@example.com\r\nb@example.com']],
])('npm run mail refuses %j', async (args) => {
  await expect(run(args, {})).rejects.toThrow(/^Usage: npm run mail -- EMAIL/)
})
