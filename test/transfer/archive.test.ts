import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ownColumnsReader } from '#domain/transfer/readers/own-columns.ts'
import type { SourceRecord } from '#domain/transfer/imported.ts'
import { sha256 } from '#server/primitives/sha256.ts'
import { give } from '../leads/give.ts'
import { startTestServer, type TestServer } from '../server.ts'
import { makeAccount, send } from '../tables/accounts.ts'
import { hitsOf } from '../visits/hits.ts'
import { visit } from '../visits/visit.ts'
import { archivesOf, type Row } from './archive-client.ts'
import { makeFullAccount, rows, write } from './full-account.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ trustedProxies: 1 })
})
afterAll(() => server.close())

const without = (row: Row, ...names: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

const archiveFiles = async () =>
  (
    await readdir(join(server.context.config.dataDir, 'archives')).catch((): string[] => [])
  ).toSorted()

describe('an archive', () => {
  test('has every row of the account as the API has it, and its images', async () => {
    const { owner, link, images } = await makeFullAccount(server, 'whole')
    await write(server, owner, 'shortened_urls', {
      user_id: owner.id,
      original_url: 'https://harbor.example/plain',
    })
    const archive = await archivesOf(server, owner).make()
    const links = await rows(server, owner, 'shortened_urls?order=created_at.desc,id.desc')
    const archived = archive.rows('links.jsonl')
    expect(archived).toHaveLength(3)
    const parts = ['rules', 'history', 'placements', 'expectations']
    expect(archived.map((row) => without(row, ...parts))).toEqual(
      links.map((row) =>
        without(row, 'user_id', 'password', 'rules_version', 'destination_finding'),
      ),
    )
    const full = archived.find(({ id }) => id === link['id']) ?? {}
    const { body: ruled } = await send(server, owner, 'POST', 'rpc/link_rules', {
      _link: link['id'],
    })
    expect(full['rules']).toEqual((ruled as Row)['rules'])
    expect(full['rules']).toHaveLength(1)
    expect(full).toMatchObject({
      short_code: 'whole-renamed',
      aliases: ['whole-first'],
      has_password: true,
      former_url: 'bit.ly/one',
      history: [
        { from_url: 'https://harbor.example/two', to_url: 'https://harbor.example/three' },
        { from_url: 'https://harbor.example/one', to_url: 'https://harbor.example/two' },
      ],
      placements: [
        { name: 'Table 4', utm_source: 'print', mark: expect.any(String) as string },
        { name: 'Window' },
      ],
      expectations: [{ name: 'Germany', expected_url: 'https://harbor.example/de' }],
    })
    const lists = [
      ['tags.jsonl', 'tags', 'id'],
      ['popups.jsonl', 'popups'],
      ['utm_templates.jsonl', 'utm_templates', 'id'],
      ['qr_looks.jsonl', 'qr_looks', 'id'],
      ['day_notes.jsonl', 'day_notes', 'id'],
      ['audience.jsonl', 'leads', 'unsubscribe_token'],
    ] as const
    for (const [file, relation, ...left] of lists) {
      const expected = await rows(server, owner, `${relation}?order=created_at.desc,id.desc`)
      expect(expected.length, file).toBeGreaterThan(0)
      expect(archive.rows(file), file).toEqual(
        expected.map((row) => without(row, 'user_id', ...left)),
      )
    }
    expect(archive.rows('shared_reports.jsonl')).toMatchObject([
      { link_id: link['id'], tag: null, title: 'For the team', has_password: true },
    ])
    const [page] = await rows(server, owner, 'bio_pages')
    expect(archive.json('bio_page.json')).toMatchObject({
      ...without(page ?? {}, 'user_id', 'version'),
      links: [{ title: 'Menu' }, { title: 'Map', is_visible: false }],
      social_links: [{ platform: 'github', url: 'https://github.com/harbor' }],
    })
    const media = archive.names.filter((name) => name.startsWith('media/'))
    expect(media.map((name) => `/${name}`).toSorted()).toEqual(images.toSorted())
    for (const name of media)
      expect(`media/${sha256(archive.bytes(name)).toString('hex')}.webp`).toBe(name)
    expect(archive.json('archive.json')).toMatchObject({
      format: 'hoplet-archive',
      version: 1,
      address: server.url,
      account: { plan: 'business', email: `${owner.id}@example.com` },
      files: {
        'links.jsonl': { rows: 3, bytes: archive.bytes('links.jsonl').length },
        'links.csv': { rows: 3, bytes: archive.bytes('links.csv').length },
        'clicks.csv': { rows: 0, bytes: archive.bytes('clicks.csv').length },
        media: { rows: 3 },
      },
      left_out: [],
    })
    expect(archive.names.at(-1)).toBe('archive.json')
  })

  test('has the fields that its documentation names, and no other', async () => {
    const { owner } = await makeFullAccount(server, 'told')
    const archive = await archivesOf(server, owner).make()
    const page = await readFile(new URL('../../docs/archive.md', import.meta.url), 'utf8')
    const sectionOf = (title: string) => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
    const named = (text: string) =>
      new Set(
        [...text.matchAll(/`\{?([^`]*?)\}?`/g)].flatMap(([, words = '']) => words.split(', ')),
      )
    const documented = (file: string) => {
      const line = sectionOf('The other lists')
        .split('\n')
        .find((one) => one.startsWith(`| \`${file}\``))
      return named(line ?? sectionOf(file))
    }
    const fieldsOf = (value: unknown): string[] =>
      Object.entries(Object(value) as Row).flatMap(([name, inner]) => [
        name,
        ...(['history', 'placements', 'links', 'social_links', 'account'].includes(name)
          ? [inner].flat().flatMap(fieldsOf)
          : []),
      ])
    for (const file of archive.names.filter((name) => /\.jsonl?$/.test(name))) {
      const values = file.endsWith('l') ? archive.rows(file) : [archive.json(file)]
      expect(values.length, file).toBeGreaterThan(0)
      const words = documented(file)
      const fields = [...new Set(values.flatMap(fieldsOf))]
      const inExample = (field: string) => sectionOf(file).includes(`"${field}":`)
      expect(
        fields.filter((field) => !words.has(field) && !inExample(field)),
        file,
      ).toEqual([])
    }
    expect(page).toContain(`\`${archive.text('links.csv').split('\r\n')[0]}\``)
    expect(page).toContain(`\`${archive.text('clicks.csv').split('\r\n')[0]}\``)
  })

  test('holds no secret and no id of the account', async () => {
    const { owner } = await makeFullAccount(server, 'secret')
    await send(server, owner, 'POST', 'rpc/save_audience', { _double_opt_in: false })
    await server.sql(
      `insert into app.webhooks (user_id, url, events, secret)
        values ($1, 'https://example.com/', '{lead.created}', 'whsec-hidden')`,
      [owner.id],
    )
    const [secret] = await server.sql<Record<string, string>>(
      `select (select password_hash from app.shortened_urls where user_id = $1 and password_hash is not null) as link,
        (select password_hash from app.shared_reports where user_id = $1) as report,
        (select token from app.shared_reports where user_id = $1) as token,
        (select unsubscribe_token from app.leads where user_id = $1) as lead`,
      [owner.id],
    )
    const archive = await archivesOf(server, owner).make()
    const all = archive.names.map((name) => archive.text(name)).join('\n')
    const words = [...Object.values(secret ?? {}), 'whsec-hidden', 'sesame']
    expect(words.every((word) => word.length >= 6)).toBe(true)
    expect(words.filter((word) => all.includes(word))).toEqual([])
    // The account's address has its id in this test.
    expect(all.replaceAll(`${owner.id}@example.com`, '')).not.toContain(owner.id)
    expect(all).toContain('ann.secret@example.com')
  })

  test('has a table of links that the reader of our columns reads', async () => {
    const { owner } = await makeFullAccount(server, 'table')
    const archive = await archivesOf(server, owner).make()
    const [head = '', ...lines] = archive.text('links.csv').trimEnd().split('\r\n')
    expect(lines).toHaveLength(2)
    const line = lines.find((one) => one.includes('table-renamed')) ?? ''
    const cells = line.match(/"(?:[^"]|"")*"|[^,]+|(?<=,)(?=,)/g) ?? []
    const names = head.split(',')
    expect(cells).toHaveLength(names.length)
    const record = Object.fromEntries(
      names.map((name, at) => [name, (cells[at] ?? '').replaceAll(/^"|"$/g, '')]),
    ) as SourceRecord
    const read = ownColumnsReader.convert(record)
    expect(read).toMatchObject({
      url: 'https://harbor.example/three',
      code: 'table-renamed',
      columns: { title: '=SUM(A1)', tags: ['Spring', 'Summer'] },
    })
  })

  test('has the hits as clicks.csv of the API has them', async () => {
    const owner = await makeAccount(server, { plan: 'pro' })
    const link = await write(server, owner, 'shortened_urls', {
      user_id: owner.id,
      original_url: 'https://harbor.example/',
    })
    const from = new Date(Date.now() - 60_000).toISOString()
    for (const language of ['de-DE', 'fr-FR', 'en-US'])
      await visit(server.url, `/${String(link['short_code'])}?utm_source=letter`, {
        headers: { 'accept-language': language, 'x-forwarded-for': `192.0.2.${language.length}` },
      })
    await vi.waitFor(async () => {
      expect(await hitsOf(server.sql, String(link['id']))).toHaveLength(3)
    }, 60_000)
    const archive = await archivesOf(server, owner).make()
    const asked = await fetch(
      `${server.url}/functions/v1/clicks.csv?scope=account&from=${encodeURIComponent(from)}`,
      { headers: owner.headers },
    )
    const listed = await asked.text()
    expect(listed.split('\r\n')).toHaveLength(5)
    expect(archive.text('clicks.csv')).toBe(listed)
    expect(archive.json('archive.json')['files']).toMatchObject({ 'clicks.csv': { rows: 3 } })
  })

  test('of a plan without clicks has no hits and no counts', async () => {
    const owner = await makeAccount(server, { plan: 'free' })
    await write(server, owner, 'shortened_urls', {
      user_id: owner.id,
      original_url: 'https://harbor.example/',
    })
    const archive = await archivesOf(server, owner).make()
    expect(archive.names).not.toContain('clicks.csv')
    expect(archive.names).not.toContain('bio_page.json')
    expect(archive.rows('links.jsonl')).toMatchObject([
      { click_count: null, clicks_before: null, first_click_at: null },
    ])
    expect(archive.rows('audience.jsonl')).toEqual([])
  })

  test('is for its owner in a session: others get 404, keys 403, nobody 401', async () => {
    const [owner, other] = [await makeAccount(server), await makeAccount(server)]
    const archives = archivesOf(server, owner)
    const id = await archives.start()
    await archives.until(id, 'done')
    const theirs = archivesOf(server, other)
    for (const path of [`/${id}`, `/${id}/file`, '/no-id', `/${crypto.randomUUID()}/file`])
      expect((await theirs.ask(path)).status, path).toBe(404)
    expect(await (await theirs.ask()).json()).toEqual([])
    const nobody = archivesOf(server, { headers: { apikey: server.anonKey } })
    for (const path of ['', `/${id}`, `/${id}/file`])
      expect((await nobody.ask(path)).status, path).toBe(401)
    const claims = { ...owner.claims, client_id: crypto.randomUUID(), scope: 'links:read' }
    const token = await server.context.tokens.sign(claims, 3_600)
    const app = archivesOf(server, {
      headers: { apikey: server.anonKey, authorization: `Bearer ${token}` },
    })
    for (const path of ['', `/${id}`, `/${id}/file`])
      expect((await app.ask(path)).status, path).toBe(403)
    expect((await app.ask('', { method: 'POST' })).status).toBe(403)
    const file = await archives.ask(`/${id}/file`)
    expect(file.status).toBe(200)
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename="hoplet-archive-\d{4}-\d\d-\d\d\.zip"$/,
    )
    expect((await file.arrayBuffer()).byteLength).toBe(Number(file.headers.get('content-length')))
  })

  test('is made three times a day, each in place of the last, with a mail and an event', async () => {
    const owner = await makeAccount(server)
    const archives = archivesOf(server, owner)
    const ids: string[] = []
    for (let made = 0; made < 3; made++) {
      const id = await archives.start()
      ids.push(id)
      await archives.until(id, 'done')
    }
    const refused = await archives.ask('', { method: 'POST' })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toEqual({
      error: 'You can make three archives a day. Please try again tomorrow.',
    })
    const listed = (await (await archives.ask()).json()) as Row[]
    expect(listed.map(({ id, state }) => [id, state])).toEqual([
      [ids[2], 'done'],
      [ids[1], 'expired'],
      [ids[0], 'expired'],
    ])
    const replaced = await archives.ask(`/${ids[0]}/file`)
    expect([replaced.status, await replaced.json()]).toEqual([
      410,
      { error: 'A newer archive took its place.' },
    ])
    await server.context.archives.run()
    expect((await archiveFiles()).filter((name) => ids.some((id) => name.startsWith(id)))).toEqual([
      `${ids[2]}.1.zip`,
    ])
    const mails = await server.sql(
      `select from app.mail_outbox where recipient = $1 and template = 'archive-ready'`,
      [`${owner.id}@example.com`],
    )
    expect(mails).toHaveLength(3)
    await server.context.securityEvents.flush()
    const events = await server.sql(
      `select from auth.security_events where user_id = $1 and event = 'data exported'`,
      [owner.id],
    )
    expect(events).toHaveLength(3)
  })

  test('expires after 3 days, and its row goes after 7', async () => {
    const owner = await makeAccount(server)
    const archives = archivesOf(server, owner)
    const id = await archives.start()
    const { made_at: madeAt, expires_at: expiresAt } = await archives.until(id, 'done')
    expect(Date.parse(String(expiresAt)) - Date.parse(String(madeAt))).toBe(3 * 86_400_000)
    await server.sql('update app.archives set expires_at = now() where id = $1', [id])
    expect((await archives.ask(`/${id}/file`)).status).toBe(410)
    await server.context.archives.run()
    expect(await archiveFiles()).not.toContain(`${id}.1.zip`)
    await server.sql(
      `update app.archives set created_at = now() - interval '8 days', removed_at = now() - interval '2 hours' where id = $1`,
      [id],
    )
    await server.context.archives.run()
    expect(await server.sql('select from app.archives where id = $1', [id])).toEqual([])
  })

  test('goes with its account', async () => {
    const owner = await makeAccount(server)
    const archives = archivesOf(server, owner)
    const id = await archives.start()
    await archives.until(id, 'done')
    expect(await archiveFiles()).toContain(`${id}.1.zip`)
    await server.sql('delete from auth.users where id = $1', [owner.id])
    await server.context.archives.run()
    expect(await archiveFiles()).not.toContain(`${id}.1.zip`)
  })
})

describe('an erasure of an address', () => {
  test('ends the archives that hold it, and deletes their files', async () => {
    const { owner } = await makeFullAccount(server, 'erased')
    const other = await makeFullAccount(server, 'bystander')
    const [archives, others] = [archivesOf(server, owner), archivesOf(server, other.owner)]
    const [id, kept] = [await archives.start(), await others.start()]
    await archives.until(id, 'done')
    await others.until(kept, 'done')
    const erased = await send(server, owner, 'POST', 'rpc/erase_lead', {
      _email: 'ANN.erased@example.com',
    })
    expect(erased.body).toBe(1)
    // At once, before any job.
    expect(await archives.show(id)).toMatchObject({
      state: 'expired',
      notice: 'An address was erased. Please make it again.',
    })
    expect((await archives.ask(`/${id}/file`)).status).toBe(410)
    await server.context.archives.run()
    expect(await archiveFiles()).not.toContain(`${id}.1.zip`)
    expect(await others.show(kept)).toMatchObject({ state: 'done' })
    expect((await others.read(kept)).text('audience.jsonl')).toContain('ann.bystander@')
    const again = await archives.make()
    expect(again.rows('audience.jsonl')).toEqual([])
  })

  test('is neither a retention nor a confirmation', async () => {
    const { owner, audience } = await makeFullAccount(server, 'retained')
    await give(server, audience, 'old.retained@example.com')
    const archives = archivesOf(server, owner)
    const id = await archives.start()
    await archives.until(id, 'done')
    await server.sql(
      `update app.leads set created_at = now() - interval '40 days' where email = 'old.retained@example.com'`,
    )
    await send(server, owner, 'POST', 'rpc/save_audience', { _retention_days: 30 })
    await server.sql('select app.delete_old_leads(100)')
    // Another lead of the same account and address, as a second popup has it.
    await server.sql(
      `insert into app.leads (user_id, popup_version, email, consent_text, state, unsubscribe_token)
        values ($1, 1, 'ANN.retained@example.com', '', 'confirmed', $2)`,
      [owner.id, crypto.randomUUID()],
    )
    await server.sql(`delete from app.leads where email = 'ann.retained@example.com'`)
    const left = await rows(server, owner, 'leads?select=email')
    expect(left).toEqual([{ email: 'ANN.retained@example.com' }])
    expect(await archives.show(id)).toMatchObject({ state: 'done' })
    // The last one with the address.
    await server.sql(`delete from app.leads where email = 'ANN.retained@example.com'`)
    expect(await archives.show(id)).toMatchObject({ state: 'expired' })
  })
})
