import { join } from 'node:path'
import type { Config } from '../config.ts'
import { HttpError } from '../http/errors.ts'
import type { Logger } from '../log.ts'
import type { Database, Transaction } from '../postgres/database.ts'
import type { Jobs } from '../primitives/jobs.ts'
import { sha256 } from '../primitives/sha256.ts'
import { createTurns } from '../primitives/turns.ts'
import { reencode } from './image.ts'
import { findExpiredLeases, withMediaLease } from './media-leases.ts'
import {
  addMedia,
  blockMedia,
  deleteUnused,
  dropMedia,
  findUnused,
  isKept,
  type MediaLimits,
} from './media-rows.ts'
import { createS3Store } from './s3-store.ts'
import { createFileStore, type MediaStore } from './store.ts'

export type Media = ReturnType<typeof createMedia>

const refusals = {
  limit: () =>
    new HttpError(429, "You've reached your daily limit of uploads. Please try again tomorrow."),
  full: () =>
    new HttpError(413, 'You have no space left for images. Unused images are deleted after a day.'),
  blocked: () => new HttpError(403, 'This image was taken down'),
}

interface MediaDeps {
  config: Pick<Config, 'media' | 'dataDir'>
  database: Database
  log: Logger
  store?: MediaStore
  jobs: Jobs
}

const unusedHours = 24
const noLimits: MediaLimits = { perDay: Infinity, bytes: Infinity }
const collectIntervalMs = 3_600_000

export function createMedia({ config, database, log, jobs, ...deps }: MediaDeps) {
  const store =
    deps.store ??
    (config.media.s3
      ? createS3Store(config.media.s3)
      : createFileStore(join(config.dataDir, 'media')))
  const asWorker = <T>(work: (db: Transaction) => Promise<T>) =>
    database.transactionAs({ role: 'hoplet_worker' }, work)

  const withLease = <T>(hash: string, work: () => Promise<T>) =>
    withMediaLease(database, hash, work)

  let refusedUploads = 0
  const takeTurn = createTurns()
  const save = async (owner: string, file: Uint8Array, limits: MediaLimits): Promise<string> => {
    // One image of a person is decoded at a time, so that those who send many leave a decoder to others.
    const endTurn = await takeTurn(owner)
    const bytes = await reencode(file).finally(endTurn)
    const hash = sha256(bytes).toString('hex')
    const added = await withLease(hash, async () => {
      // The row comes first: bytes without a row would never be collected.
      const result = await asWorker((db) =>
        addMedia(db, { hash, owner, bytes: bytes.length }, limits),
      )
      if (result !== 'added' && result !== 'known') return result
      try {
        await store.put(hash, bytes)
      } catch (error) {
        // A known image is still shown, with the bytes from before.
        if (result === 'added') await asWorker((db) => dropMedia(db, hash, owner))
        throw error
      }
      return result
    })
    if (added === 'limit') refusedUploads++
    if (added !== 'added' && added !== 'known') throw refusals[added]()
    return `/media/${hash}.webp`
  }

  /** Removes the images that nothing has shown for a day. Returns how many. */
  const collect = async (): Promise<number> => {
    // Left by a failure. The row went first, so without one the bytes go, too.
    for (const hash of await asWorker(findExpiredLeases))
      await withLease(hash, async () => {
        if (!(await asWorker((db) => isKept(db, hash)))) await store.remove(hash)
      })
    let removed = 0
    for (const hash of await asWorker((db) => findUnused(db, unusedHours)))
      await withLease(hash, async () => {
        if (!(await asWorker((db) => deleteUnused(db, hash, unusedHours)))) return
        await store.remove(hash)
        removed++
      })
    if (removed > 0) log.info({ images: removed }, 'unused images collected')
    return removed
  }

  const job = jobs.add('collect images', { everyMs: collectIntervalMs, firstRunMs: 0 }, collect)

  return {
    /** Stores a person's upload, within the limits. The path of the image. @throws {HttpError} */
    saveUpload: (owner: string, file: Uint8Array) =>
      save(owner, file, { perDay: config.media.uploadsPerDay, bytes: config.media.uploadBytes }),
    /** Stores a generated image; the person was charged for the generation already. @throws {HttpError} */
    saveGenerated: (owner: string, file: Uint8Array) => save(owner, file, noLimits),
    read: (hash: string) => store.get(hash),
    /** Takes an image down for good. */
    block: (hash: string) =>
      withLease(hash, async () => {
        await asWorker((db) => blockMedia(db, hash))
        await store.remove(hash)
      }),
    collect,
    /** Uploads beyond the day's limit. */
    refusedUploads: () => refusedUploads,
    close: () => job.close(),
  }
}
