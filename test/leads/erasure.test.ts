/** @module-tag extended */
import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeBackup } from '#server/backup/backup-file.ts'
import { readArchive } from '#server/backup/archive.ts'
import { type MailingServer, startMailingServer } from '#test/auth/mailed/mailbox.ts'
import { scratchFolder, sourceOf } from '#test/backup/backed-up.ts'
import { recordLog } from '#test/record-log.ts'
import { send } from '#test/tables/accounts.ts'
import { give, makeAudience } from './give.ts'

let server: MailingServer
const log = recordLog()
const clean: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  server = await startMailingServer({}, log.log)
})
afterAll(async () => {
  for (const each of clean.splice(0).toReversed()) await each()
  await server.close()
})

/** Tables with a row that has the text, in any column. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await server.sql<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
      where c.relnamespace in ('app'::regnamespace, 'auth'::regnamespace) and c.relkind in ('r', 'p') order by 1`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await server.sql(`select from ${name} t where t::text ilike $1 limit 1`, [
      `%${text}%`,
    ])
    if (rows.length > 0) found.push(name)
  }
  return found
}

/** Files of the data directory with the text. */
async function filesWith(text: string): Promise<string[]> {
  const { dataDir } = server.context.config
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.filter((one) => one.isFile())) {
    const bytes = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0))
    if (bytes.toString('latin1').toLowerCase().includes(text)) found.push(entry.name)
  }
  return found
}

/** Parts of a new backup with the text. */
async function partsOfBackupWith(text: string): Promise<string[]> {
  const path = join(await scratchFolder(clean), 'backup.tar.gz')
  await writeBackup(sourceOf(server), path, undefined)
  const found: string[] = []
  for await (const { name, data } of readArchive(createReadStream(path), undefined))
    if (Buffer.from(data).toString('latin1').toLowerCase().includes(text)) found.push(name)
  return found
}

it('after an erasure no table, log line, file or new backup has the address', async () => {
  const audience = await makeAudience(server)
  const { owner } = audience
  const address = 'right.to.be.forgotten@example.com'
  await send(server, owner, 'POST', 'rpc/save_audience', {
    _retention_days: null,
    _double_opt_in: true,
  })
  await server.sql(
    `insert into app.webhooks (user_id, url, events, secret) values ($1, 'https://example.com/', '{lead.created}', 'x')`,
    [owner.id],
  )
  await give(server, audience, 'Right.To.Be.Forgotten@example.com')
  await server.mailFor('Right.To.Be.Forgotten@example.com')
  await server.sql(`update app.leads set state = 'confirmed' where popup_id = $1`, [audience.popup])
  const repeatable = { 'idempotency-key': 'p', prefer: 'return=representation' }
  const shown = `popups?id=eq.${audience.popup}&select=id,leads(email)`
  await send(server, owner, 'PATCH', shown, { title: 'Other' }, repeatable)

  // The control: the scans find it before.
  expect(await tablesWith(address)).toEqual([
    'app.idempotent_requests',
    'app.leads',
    'app.mail_outbox',
    'app.webhook_events',
  ])
  const before = await partsOfBackupWith(address)
  expect(before.some((name) => name.includes('app.leads'))).toBe(true)

  const erase = { _email: address }
  expect((await send(server, owner, 'POST', 'rpc/erase_lead', erase)).body).toBe(1)
  expect(await tablesWith(address)).toEqual([])
  expect(await partsOfBackupWith(address)).toEqual([])
  expect(await filesWith(address)).toEqual([])
  expect(JSON.stringify(log.lines).toLowerCase()).not.toContain(address)
})

it('the deletion of an account takes its audience along', async () => {
  const audience = await makeAudience(server)
  await give(server, audience, 'with.account@example.com')
  expect(await tablesWith('with.account@example.com')).toEqual(['app.leads'])
  await server.sql('delete from auth.users where id = $1', [audience.owner.id])
  expect(await tablesWith('with.account@example.com')).toEqual([])
})
