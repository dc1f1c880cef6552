/** @module-tag extended */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer } from '#test/server.ts'
import { aReceipt, enqueue, hurry, mailConfig, outboxRows } from './mails.ts'
import { startSmtp } from './smtp.ts'

const mails = 200
const rounds = 10
const lanes = 4

let folder: string
let script: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hoplet-mail-'))
  script = join(folder, 'worker.mjs')
  // In one piece, so that it starts at once.
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: ['pg-native', 'pg-cloudflare'] },
    build: {
      ssr: 'test/mail/worker.ts',
      outDir: folder,
      rolldownOptions: { output: { entryFileNames: 'worker.mjs', codeSplitting: false } },
    },
  })
})
afterAll(() => rm(folder, { recursive: true }))

interface Worker {
  child: ChildProcess
  ready: Promise<unknown>
}

function startWorker(databaseUrl: string, smtpUrl: string): Worker {
  const child = spawn(process.execPath, [script, databaseUrl, smtpUrl], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  return { child, ready: once(child.stdout, 'data') }
}

/** Where in the life of a mail the process is killed, in turn. */
const moments = ['before it is taken', 'taken, not answered', 'answered'] as const

it('the outbox delivers each of 200 emails across ten kill -9; a second copy is the same email', async () => {
  let victim: ChildProcess | undefined
  let moment: (typeof moments)[number] = 'answered'
  let untilKill = 0
  const kill = async (at: typeof moment) => {
    if (victim === undefined || at !== moment || --untilKill > 0) return
    const dying = victim
    victim = undefined
    const gone = once(dying, 'exit')
    dying.kill('SIGKILL')
    await gone
  }
  const mailbox = await startSmtp({
    refuseMessage: () => {
      void kill('before it is taken')
      return undefined
    },
    afterTaking: async () => {
      await kill('taken, not answered')
      setImmediate(() => void kill('answered'))
    },
  })
  // It writes the mails and looks at them; the workers send them.
  const { mail } = mailConfig({ SMTP_URL: mailbox.url, MAIL_FROM: 'mail@go.example' })
  const server = await startTestServer({ mail })
  const workers: Worker[] = []
  const next = () => {
    const worker = startWorker(server.databaseUrl, mailbox.url)
    workers.push(worker)
    return worker
  }
  try {
    let coming = next()
    // The server looks into its outbox once after the start.
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    await enqueue(server, ...Array.from({ length: mails }, (_, i) => aReceipt(`crash-${i}`)))
    for (let round = 0; round < rounds; round++) {
      const worker = coming
      await worker.ready
      if (round + 1 < rounds) coming = next()
      await hurry(server)
      moment = moments[round % moments.length] ?? 'answered'
      untilKill = 5 + round
      victim = worker.child
      const ended = once(worker.child, 'exit')
      worker.child.stdin?.write('go\n')
      const [code, signal] = (await ended) as [number | null, string | null]
      expect([code, signal]).toEqual([null, 'SIGKILL'])
    }
    const interrupted = (await outboxRows(server)).filter(({ sent }) => !sent)
    expect(interrupted.length).toBeGreaterThan(0)
    await hurry(server)
    await server.context.mail.drain()

    const rows = await outboxRows(server)
    expect(rows.filter(({ sent }) => !sent)).toEqual([])
    const copies = new Map<string, number>()
    for (const {
      mail: { messageId = '' },
    } of mailbox.received)
      copies.set(messageId, (copies.get(messageId) ?? 0) + 1)
    expect([...copies.keys()].sort()).toEqual(rows.map(({ id }) => `<${id}@go.example>`).sort())
    const extra = mailbox.received.length - mails
    // The control: a mail was on its way at a kill, and this notices the copy.
    expect(extra).toBeGreaterThan(0)
    expect(extra).toBeLessThanOrEqual(rounds * lanes)
  } finally {
    for (const { child } of workers) child.kill('SIGKILL')
    await server.close()
    await mailbox.close()
  }
})
