import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLog } from '#server/log.ts'
import type { Database } from '#server/postgres/database.ts'
import { createJobs } from '#server/primitives/jobs.ts'
import { type Archives, createArchives } from '#server/transfer/archive/archives.ts'
import { newPicture, upload } from '../media/uploads.ts'
import { startTestServer, type TestServer } from '../server.ts'
import { type Account, makeAccount } from '../tables/accounts.ts'
import { plantLinks } from '../visits/plant.ts'
import { s3Settings, startS3 } from '../stand-ins/s3.ts'
import { archivesOf, type ReadArchive, readZip, type Row } from './archive-client.ts'

/** A server without the timers of the job: the makers of these tests are the only ones. */
let server: TestServer
const makers: Archives[] = []
const folders: string[] = []
beforeAll(async () => {
  server = await startTestServer()
  // Its timer would take the archives.
  await server.context.archives.close()
})
afterAll(async () => {
  for (const maker of makers) await maker.close()
  await server.close()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

type Parts = Parameters<typeof createArchives>[0]

/** The archives of one process; all of these have one folder, as processes with one store do. */
async function makerOf(parts: Partial<Parts> = {}, dataDir?: string) {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'hoplet-archives-')))
  folders.push(folder)
  const { context } = server
  const log = createLog('fatal')
  const maker = createArchives({
    config: { ...context.config, dataDir: folder, linksUrl: server.url },
    database: context.database,
    log,
    jobs: createJobs({ log, areTimed: false }),
    readers: context.analytics.readers,
    readImage: context.media.read,
    version: '9.9.9',
    wakeMail: () => {},
    ...parts,
  })
  makers.push(maker)
  const files = () => readdir(join(folder, 'archives')).catch(() => [])
  return { maker, folder, files }
}

async function readFrom(maker: Archives, owner: Account, id: string): Promise<ReadArchive> {
  const { body } = await maker.open(owner.id, id)
  return readZip(Buffer.from(await new Response(body as BodyInit).arrayBuffer()))
}

async function plantMany({ id }: Account, count: number): Promise<void> {
  const links = Array.from({ length: count }, (_, at) => ({
    code: `${id.slice(0, 13)}-${at}`,
    url: `https://harbor.example/${'long/'.repeat(20)}${at}`,
  }))
  await plantLinks(server.sql, links, id)
}

/** Reading the image is the last step before the clicks: a test can wait there. */
async function showImage(owner: Account): Promise<void> {
  const { body } = await upload(server, owner, await newPicture())
  await server.sql(`insert into app.popups (user_id, title, image_url) values ($1, 'Shown', $2)`, [
    owner.id,
    body.imageUrl,
  ])
}

async function plantHits(owner: Account, hits: number): Promise<void> {
  await server.sql(
    `insert into app.click_events (at, visitor, scope, account, origin, place, client, verdict, source)
      select now() - n * interval '1 ms', n % 7, s.scope, s.account, 0, 0, 0, 'c', 'l'
      from generate_series(1, $2) n, app.click_scopes_of(array[(select id from app.shortened_urls
        where user_id = $1 limit 1)]) s`,
    [owner.id, hits],
  )
}

const stateOf = (id: string) =>
  server.sql<Row>('select state, attempt, notice, bytes from app.archives where id = $1', [id])

describe('the job of archives', () => {
  test('reads at most 1,000 rows at a time, and each row once', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    await plantMany(owner, 2_345)
    await plantHits(owner, 3_456)
    const { database } = server.context
    let most = 0
    const watched: Database = {
      ...database,
      transactionAs: (caller, work) =>
        database.transactionAs(caller, (db) =>
          work({
            ...db,
            query: async (...asked: Parameters<typeof db.query>) => {
              const answer = await db.query(...asked)
              most = Math.max(most, answer.rows.length)
              return answer as never
            },
          }),
        ),
    }
    const { maker } = await makerOf({ database: watched })
    const id = await maker.start(owner.id)
    await maker.run()
    expect(await stateOf(id)).toMatchObject([{ state: 'done', attempt: 1 }])
    const archive = await readFrom(maker, owner, id)
    const codes = archive.rows('links.jsonl').map((row) => row['short_code'])
    expect(new Set(codes).size).toBe(2_345)
    expect(codes).toHaveLength(2_345)
    expect(archive.text('links.csv').trimEnd().split('\r\n')).toHaveLength(2_346)
    const hits = archive.text('clicks.csv').trimEnd().split('\r\n').slice(1)
    expect(hits).toHaveLength(3_456)
    expect(new Set(hits.map((line) => line.split(',')[0])).size).toBe(3_456)
    expect(most).toBe(1_000)
  })

  test('makes an archive again after its maker was killed, and serves no part of the first', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    await showImage(owner)
    let go: (bytes: Buffer | undefined) => void = () => {}
    const hung = new Promise<Buffer | undefined>((resolve) => (go = resolve))
    const asked = vi.fn(() => hung)
    const first = await makerOf({ readImage: asked })
    const second = await makerOf({}, first.folder)
    const id = await first.maker.start(owner.id)
    const running = first.maker.run()
    await vi.waitFor(() => expect(asked).toHaveBeenCalled(), 20_000)
    expect(await first.files()).toEqual([`${id}.1.zip.partial`])
    // It has the claim: nobody else makes it.
    await second.maker.run()
    expect(await stateOf(id)).toMatchObject([{ state: 'making', attempt: 1 }])
    // As the claim of a process that died.
    await server.sql('update app.archives set next_at = now() where id = $1', [id])
    await second.maker.run()
    expect(await stateOf(id)).toMatchObject([{ state: 'done', attempt: 2 }])
    // The first one was only slow, and comes back.
    go(undefined)
    await running
    expect(await first.files()).toEqual([`${id}.2.zip`])
    expect(await stateOf(id)).toMatchObject([{ state: 'done', attempt: 2 }])
    const archive = await readFrom(first.maker, owner, id)
    expect(archive.names.filter((name) => name.startsWith('media/'))).toHaveLength(1)
  })

  test('leaves an archive to the next process when its own one stops', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    await showImage(owner)
    let go: (bytes: Buffer | undefined) => void = () => {}
    const asked = vi.fn(() => new Promise<Buffer | undefined>((resolve) => (go = resolve)))
    const { maker, folder, files } = await makerOf({ readImage: asked })
    const id = await maker.start(owner.id)
    const running = maker.run()
    await vi.waitFor(() => expect(asked).toHaveBeenCalled(), 20_000)
    const closing = maker.close()
    go(undefined)
    await Promise.all([running, closing])
    expect(await stateOf(id)).toMatchObject([{ state: 'making', attempt: 0 }])
    expect(await files()).toEqual([])
    const next = await makerOf({}, folder)
    await next.maker.run()
    expect(await stateOf(id)).toMatchObject([{ state: 'done', attempt: 1 }])
  })

  test('fails an archive after five attempts, and makes the next one', async () => {
    const owner = await makeAccount(server)
    const broken = await makerOf({
      readers: {
        with: () => {
          throw new Error('the store is away')
        },
      },
    })
    await server.sql(`update app.user_plans set plan_type = 'pro' where user_id = $1`, [owner.id])
    const id = await broken.maker.start(owner.id)
    for (let attempt = 1; attempt <= 5; attempt++) {
      await broken.maker.run()
      expect(await stateOf(id)).toMatchObject([{ state: 'making', attempt }])
      await server.sql('update app.archives set next_at = now() where id = $1', [id])
    }
    await broken.maker.run()
    expect(await stateOf(id)).toMatchObject([
      {
        state: 'failed',
        attempt: 5,
        notice: 'The archive could not be made. Please try again later.',
      },
    ])
    expect(await broken.files()).toEqual([])
    const { maker } = await makerOf()
    const next = await maker.start(owner.id)
    await maker.run()
    expect(await stateOf(next)).toMatchObject([{ state: 'done', attempt: 1 }])
  })

  test('gives up an archive in which an address was erased meanwhile', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    await server.sql('insert into app.audiences (user_id) values ($1)', [owner.id])
    await server.sql(
      `insert into app.leads (user_id, popup_version, email, consent_text, state, unsubscribe_token)
        values ($1, 1, 'gone@example.com', '', 'confirmed', $2)`,
      [owner.id, crypto.randomUUID()],
    )
    await showImage(owner)
    // The audience is read before the images.
    const { maker, files } = await makerOf({
      readImage: async () => {
        await server.sql(`delete from app.leads where user_id = $1`, [owner.id])
        return undefined
      },
    })
    const id = await maker.start(owner.id)
    await maker.run()
    expect(await stateOf(id)).toMatchObject([
      { state: 'expired', notice: 'An address was erased. Please make it again.', bytes: null },
    ])
    expect(await files()).toEqual([])
    await expect(maker.open(owner.id, id)).rejects.toThrow('An address was erased')
  })

  test('leaves parts without room out, and the archive names them', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    await plantMany(owner, 300)
    const { maker } = await makerOf({ maxBytes: 100_000 })
    const id = await maker.start(owner.id)
    await maker.run()
    const archive = await readFrom(maker, owner, id)
    const links = archive.rows('links.jsonl')
    expect(links.length).toBeGreaterThan(50)
    expect(links.length).toBeLessThan(300)
    const { files, left_out: leftOut } = archive.json('archive.json') as {
      files: Record<string, { bytes: number }>
      left_out: Row[]
    }
    const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0)
    expect(bytes).toBeLessThanOrEqual(100_000)
    expect(leftOut).toContainEqual({
      file: 'links.jsonl',
      reason: 'The archive has 2 GB, which is the most. The rest is left out.',
    })
    expect(await maker.show(owner.id, id)).toMatchObject({ state: 'done', left_out: leftOut })
    const [mail] = await server.sql<{ data: Row }>(
      'select data from app.mail_outbox where key = $1',
      [`archive:${id}`],
    )
    expect(mail?.data).toEqual({ isWhole: false })
  })

  test('keeps its files in S3 when the images are there', async () => {
    const s3 = await startS3()
    try {
      const owner = await makeAccount(server, { plan: 'business' })
      await plantMany(owner, 20)
      const { context } = server
      const media = { ...context.config.media, s3: { ...s3Settings, endpoint: s3.endpoint } }
      const folder = await mkdtemp(join(tmpdir(), 'hoplet-archives-'))
      const { maker, files } = await makerOf(
        { config: { dataDir: folder, media, linksUrl: server.url } },
        folder,
      )
      const id = await maker.start(owner.id)
      await maker.run()
      const key = `/pictures/archives/${id}.1.zip`
      expect([...s3.objects.keys()]).toEqual([key])
      expect(await files()).toEqual([])
      const { bytes, body } = await maker.open(owner.id, id)
      await body.cancel()
      expect(bytes).toBe(s3.objects.get(key)?.length)
      const archive = await readFrom(maker, owner, id)
      expect(archive.rows('links.jsonl')).toHaveLength(20)
      await server.sql('update app.archives set expires_at = now() where id = $1', [id])
      await maker.run()
      expect([...s3.objects.keys()]).toEqual([])
    } finally {
      await s3.close()
    }
  })

  test('answers 410 for a file that a restored database does not have', async () => {
    const owner = await makeAccount(server)
    const { maker, folder } = await makerOf()
    const id = await maker.start(owner.id)
    await maker.run()
    await rm(join(folder, 'archives', `${id}.1.zip`))
    await expect(maker.open(owner.id, id)).rejects.toMatchObject({ status: 410 })
    expect(await archivesOf(server, owner).show(id)).toMatchObject({ state: 'done' })
  })
})
