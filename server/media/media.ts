import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database, Transaction } from '../postgres/database.ts'
import { createFileStore } from './file-store.ts'
import { reencode } from './image.ts'
import { addMedia, blockMedia, dropMedia, findUnused, forgetUnused } from './media-rows.ts'
import { createS3Store } from './s3-store.ts'
import type { MediaStore } from './store.ts'

export interface Media {
  /** Stores what a person uploaded, within the day's limit. The path of the image. @throws {ImageError | UploadLimitError} */
  saveUpload(owner: string, file: Uint8Array): Promise<string>
  /** Stores what was generated for a person, who was charged for that already. @throws {ImageError} */
  saveGenerated(owner: string, file: Uint8Array): Promise<string>
  read(hash: string): Promise<Buffer | undefined>
  /** Takes an image down for good. */
  block(hash: string): Promise<void>
  /** Removes the images that no popup has shown for a day. How many went. */
  collect(): Promise<number>
  close(): Promise<void>
}

/** The person uploaded as much as a day allows, or an image that was taken down. */
export class UploadRefusedError extends Error {
  name = 'UploadRefusedError'
  readonly reason: 'limit' | 'blocked'
  constructor(reason: UploadRefusedError['reason']) {
    super(reason)
    this.reason = reason
  }
}

interface Parts {
  config: Pick<Config, 'media' | 'dataDir'>
  database: Database
  log: Logger
  store?: MediaStore
}

const unusedHours = 24
const collectEvery = 60 * 60 * 1000

export function createMedia({ config, database, log, ...parts }: Parts): Media {
  const store =
    parts.store ??
    (config.media.s3
      ? createS3Store(config.media.s3)
      : createFileStore(join(config.dataDir, 'media')))
  const inTurn = createTurns()
  const asWorker = <T>(work: (db: Transaction) => Promise<T>) =>
    database.transactionAs({ role: 'hoplet_worker' }, work)

  const save = async (owner: string, file: Uint8Array, perDay?: number): Promise<string> => {
    const bytes = await reencode(file)
    const hash = createHash('sha256').update(bytes).digest('hex')
    return inTurn(hash, async () => {
      // The row comes first: bytes without a row would never be collected.
      const added = await asWorker((db) =>
        addMedia(db, { hash, owner, bytes: bytes.length }, perDay),
      )
      if (added !== 'added') throw new UploadRefusedError(added)
      try {
        await store.put(hash, bytes)
      } catch (error) {
        await asWorker((db) => dropMedia(db, hash, owner))
        throw error
      }
      return `/media/${hash}.webp`
    })
  }

  const collect = async (): Promise<number> => {
    const candidates = await asWorker((db) => findUnused(db, unusedHours))
    let gone = 0
    for (const hash of candidates) {
      // The row goes last: after a crash in between, the next collection finds it and ends what this one began.
      await inTurn(hash, () =>
        asWorker(async (db) => {
          if (!(await forgetUnused(db, hash, unusedHours))) return
          await store.remove(hash)
          gone++
        }),
      )
    }
    if (gone > 0) log.info({ images: gone }, 'unused images collected')
    return gone
  }

  let collecting: Promise<unknown> = Promise.resolve()
  const collectNow = () => {
    collecting = collect().catch((error: unknown) =>
      log.warn({ err: error }, 'images were not collected'),
    )
  }
  collectNow()
  const timer = setInterval(collectNow, collectEvery)
  timer.unref()

  return {
    saveUpload: (owner, file) => save(owner, file, config.media.uploadsPerDay),
    saveGenerated: (owner, file) => save(owner, file),
    read: (hash) => store.get(hash),
    block: (hash) =>
      inTurn(hash, () =>
        asWorker(async (db) => {
          await blockMedia(db, hash)
          await store.remove(hash)
        }),
      ),
    collect,
    async close() {
      clearInterval(timer)
      await collecting
    },
  }
}

/** Lets one piece of work per key run at a time: a stored image is never collected while it is stored again. */
function createTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work)
    const settled = turn.then(
      () => {},
      () => {},
    )
    last.set(key, settled)
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key)
    })
    return turn
  }
}
