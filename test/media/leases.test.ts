import { createJobs } from '#server/primitives/jobs.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createMedia, type Media } from '#server/media/media.ts'
import type { MediaStore } from '#server/media/store.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { newPicture } from './uploads.ts'

// Two servers share one storage; its calls can be held open or fail.
let server: TestServer
let ann: TestUser
let one: Media
let other: Media
const stored = new Map<string, Buffer>()
let beforeRemove = () => Promise.resolve()
let beforePut = () => Promise.resolve()

const store: MediaStore = {
  async put(hash, bytes) {
    await beforePut()
    stored.set(hash, bytes)
  },
  get: async (hash) => stored.get(hash),
  async remove(hash) {
    await beforeRemove()
    stored.delete(hash)
  },
}

beforeAll(async () => {
  server = await startTestServer()
  ann = await makeUser(server)
  const { config, database, log } = server.context
  one = createMedia({ config, database, log, store, jobs: createJobs({ log }) })
  other = createMedia({ config, database, log, store, jobs: createJobs({ log }) })
  // Only the collections that a test asks for: those of the jobs would take its images.
  for (const media of [one, other, server.context.media]) await media.close()
})
afterAll(() => server.close())
beforeEach(() => {
  beforeRemove = () => Promise.resolve()
  beforePut = () => Promise.resolve()
})

const hashOf = (imageUrl: string) => imageUrl.slice(7, 71)
const expireUse = () =>
  server.sql(`update app.media set unused_since = unused_since - interval '25 hours'`)
const expireLeases = () => server.sql(`update app.leases set ends_at = ends_at - interval '1 hour'`)
const openTransactions = async () =>
  (
    await server.sql(
      `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
    )
  ).length

/** Holds a call of the storage open; `entered` resolves when it has come. */
function gate() {
  let enter = () => {}
  let release = () => {}
  const entered = new Promise<void>((resolve) => (enter = resolve))
  const released = new Promise<void>((resolve) => (release = resolve))
  const pass = async () => {
    enter()
    await released
  }
  return { pass, entered, release }
}

it('no transaction is open while the storage deletes, for the collector and for an admin', async () => {
  for (const act of [
    async () => {
      await expireUse()
      return one.collect()
    },
    (image: string) => one.block(hashOf(image)),
  ]) {
    const image = await one.saveUpload(ann.id, await newPicture())
    const { pass, entered, release } = gate()
    beforeRemove = pass
    const done = act(image)
    await entered
    // A job of the server in between ends by itself; one that waits for the storage does not.
    await expect.poll(openTransactions).toBe(0)
    release()
    await done
    expect(stored.has(hashOf(image))).toBe(false)
  }
})

it('the same check sees an open transaction (control)', async () => {
  const { pass, entered, release } = gate()
  const done = server.context.database.transactionAs({ role: 'hoplet_worker' }, async (db) => {
    await db.query('select 1')
    await pass()
  })
  await entered
  const open = await openTransactions()
  release()
  await done
  expect(open).toBeGreaterThan(0)
})

it('an image in use outlives an upload of the same one that the storage refuses', async () => {
  const file = await newPicture()
  const image = await one.saveUpload(ann.id, file)
  await server.sql(`insert into app.popups (user_id, title, image_url) values ($1, 'x', $2)`, [
    ann.id,
    image,
  ])
  const put = (picture: Buffer) => one.saveUpload(ann.id, picture).catch(() => 'refused')
  beforePut = () => Promise.reject(new Error('the disk is full'))
  expect(await put(file)).toBe('refused')
  const fresh = await newPicture()
  expect(await put(fresh)).toBe('refused')
  await expireLeases()
  await one.collect()
  expect(stored.has(hashOf(image))).toBe(true)
  expect(
    await server.sql('select hash from app.media where hash = $1', [hashOf(image)]),
  ).toHaveLength(1)
})

it('an image that another server is deleting is stored again afterwards', async () => {
  const file = await newPicture()
  const image = await one.saveUpload(ann.id, file)
  await expireUse()
  const { pass, entered, release } = gate()
  beforeRemove = pass
  const collected = one.collect()
  await entered
  const again = other.saveUpload(ann.id, file)
  setTimeout(release, 300)
  expect(await collected).toBe(1)
  expect(await again).toBe(image)
  expect(stored.has(hashOf(image))).toBe(true)
})

it('an image that is taken down while another server stores it does not stay', async () => {
  const file = await newPicture()
  const image = await one.saveUpload(ann.id, file)
  const { pass, entered, release } = gate()
  beforePut = pass
  const again = other.saveUpload(ann.id, file)
  await entered
  const blocked = one.block(hashOf(image))
  setTimeout(release, 300)
  await Promise.allSettled([again, blocked])
  expect(stored.has(hashOf(image))).toBe(false)
})

it('images that could not be deleted are deleted by a later collection', async () => {
  const image = await one.saveUpload(ann.id, await newPicture())
  beforeRemove = () => Promise.reject(new Error('storage is down'))
  await expect(one.block(hashOf(image))).rejects.toThrow('storage is down')
  // Taken down all the same.
  expect(
    await server.sql('select from app.media_blocks where hash = $1', [hashOf(image)]),
  ).toHaveLength(1)
  beforeRemove = () => Promise.resolve()
  await other.collect()
  expect(stored.has(hashOf(image))).toBe(false)
  expect(await server.sql('select from app.leases')).toEqual([])
})

it('the lease of a process that died expires, and its bytes go', async () => {
  // Images that earlier tests left would be collected first.
  await expireUse()
  await one.collect()
  const image = await one.saveUpload(ann.id, await newPicture())
  await expireUse()
  const { pass, entered } = gate()
  beforeRemove = pass
  // As if the process ended here: this promise never settles.
  void one.collect()
  await entered
  beforeRemove = () => Promise.resolve()
  await other.collect()
  expect(stored.has(hashOf(image))).toBe(true)
  await expireLeases()
  await other.collect()
  expect(stored.has(hashOf(image))).toBe(false)
})
