import { readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import { enqueueMail } from '../../mail/outbox.ts'
import type { Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import { errorCode, ifMissing } from '../../primitives/error-code.ts'
import type { Jobs } from '../../primitives/jobs.ts'
import { makeFolders } from '../../primitives/make-folders.ts'
import type { ArchiveSource } from './archive-hits.ts'
import type { ArchiveStore } from './archive-store.ts'
import type { ArchiveTally } from './archive-bounds.ts'
import { openArchiveWriter } from './archive-writer.ts'
import { makeArchive } from './make-archive.ts'

const worker = { role: 'hoplet_worker' } as const
const everyMs = 2_000
/** A process that dies keeps an archive from the others for so long. */
const claimSeconds = 30
const heartbeatMs = 5_000
/** Starts of one archive, those after a failure or a kill included. */
const maxAttempts = 5
const retrySeconds = 60
/** Room on the disk that an archive leaves to the clicks and the database. */
const minFreeBytes = 1024 ** 3

export interface ArchiveJobDeps extends Pick<
  ArchiveSource,
  'readers' | 'readImage' | 'version' | 'maxBytes'
> {
  config: Pick<Config, 'dataDir' | 'media'> & { linksUrl: string }
  database: Database
  log: Logger
  jobs: Jobs
  store: ArchiveStore
  /** Where files are made. */
  folder: string
  wakeMail: () => void
}

interface ArchiveAtWork {
  id: string
  user_id: string
  attempt: number
}

/** The archive cannot be made; the message is a sentence for its owner. */
class ArchiveError extends Error {
  name = 'ArchiveError'
}

const diskIsFull = () =>
  new ArchiveError('The disk of this server has too little room. Please ask its operator.')

/** Another attempt goes on, or the archive has ended: nothing is left to do. */
const givenUp = new Error('the archive is no longer wanted')

/** File of an attempt: one that was given up cannot replace that of a later one. */
export const archiveName = (id: string, attempt: number) => `${id}.${attempt}.zip`
const partialEnding = '.partial'

/** Makes archives, one after another, and deletes their files; those of several servers share the work. */
export function startArchiveJob(deps: ArchiveJobDeps) {
  const closing = new AbortController()
  const removeLeftovers = forFirstTime(() => removePartials(deps.folder))
  const job = deps.jobs.add('archives', { everyMs, firstRunMs: 1_000 }, async () => {
    await removeLeftovers()
    await removeEnded(deps)
    for (;;) {
      const claimed = closing.signal.aborted ? undefined : await claim(deps.database)
      if (!claimed) return
      await work(deps, claimed, closing.signal)
    }
  })
  return {
    /** Begins at once, if this process has the jobs. */
    wake: () => {
      if (deps.jobs.areTimed) void job.run()
    },
    run: job.run,
    close: async () => {
      closing.abort(givenUp)
      await job.close()
    },
  }
}

function forFirstTime(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => (done ??= work())
}

/** Files that a killed process of this server left behind. */
async function removePartials(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(ifMissing([])))
    if (name.endsWith(partialEnding)) await rm(join(folder, name), { force: true })
}

async function claim(database: Database): Promise<ArchiveAtWork | undefined> {
  await queryAs(
    database,
    worker,
    `update app.archives set state = 'failed', notice = 'The archive could not be made. Please try again later.'
      where state = 'making' and next_at <= now() and attempt >= $1`,
    [maxAttempts],
  )
  const [claimed] = await queryAs<ArchiveAtWork & Record<string, unknown>>(
    database,
    worker,
    `update app.archives a set attempt = a.attempt + 1, progress = 0, next_at = now() + make_interval(secs => $1)
      where a.id = (select d.id from app.archives d
        where d.state = 'making' and d.next_at <= now() and d.user_id is not null
        order by d.next_at limit 1 for update skip locked)
      returning a.id, a.user_id, a.attempt`,
    [claimSeconds],
  )
  return claimed
}

async function work(
  deps: ArchiveJobDeps,
  claimed: ArchiveAtWork,
  closing: AbortSignal,
): Promise<void> {
  const { database, log } = deps
  const { id, attempt } = claimed
  try {
    await make(deps, claimed, closing)
  } catch (error) {
    if (closing.aborted)
      // A restart is no failure.
      await change(
        database,
        claimed,
        'next_at = now(), attempt = attempt - 1 where attempt = $2 and',
      )
    else if (error instanceof ArchiveError || errorCode(error) === 'ENOSPC') {
      const { message } = error instanceof ArchiveError ? error : diskIsFull()
      await change(
        database,
        claimed,
        `state = 'failed', notice = $3 where attempt = $2 and`,
        message,
      )
    } else if (error !== givenUp) {
      log.warn({ err: error, archive: id, attempt }, 'an archive stumbled')
      await change(
        database,
        claimed,
        'next_at = now() + make_interval(secs => $3) where attempt = $2 and',
        retrySeconds,
      )
    }
  }
}

async function change(
  database: Database,
  { id, attempt }: ArchiveAtWork,
  text: string,
  ...values: unknown[]
): Promise<boolean> {
  const changed = await queryAs(
    database,
    worker,
    `update app.archives set ${text} id = $1 and state = 'making' and user_id is not null returning id`,
    [id, attempt, ...values],
  )
  return changed.length > 0
}

async function make(
  deps: ArchiveJobDeps,
  claimed: ArchiveAtWork,
  closing: AbortSignal,
): Promise<void> {
  const { config, folder, store } = deps
  const { id, user_id: sub, attempt } = claimed
  await makeFolders(folder, 0o700)
  await requireRoom(folder)
  const name = archiveName(id, attempt)
  const path = join(folder, `${name}${partialEnding}`)
  const pulse = startPulse(deps, claimed)
  const signal = AbortSignal.any([closing, pulse.signal])
  const madeAt = new Date()
  const writer = openArchiveWriter(path, madeAt, signal)
  try {
    const account = { id: sub, claims: { sub } }
    const source = { ...deps, account, linksUrl: config.linksUrl, madeAt }
    const tally = await makeArchive(source, writer, { signal, onProgress: pulse.show })
    await writer.finish()
    const { size } = await stat(path)
    signal.throwIfAborted()
    await store.put(name, path)
    // An erasure meanwhile has ended it.
    if (!(await finish(deps, claimed, size, tally))) await store.remove(name)
  } catch (error) {
    await writer.abandon()
    signal.throwIfAborted()
    throw error
  } finally {
    pulse.end()
    await rm(path, { force: true })
  }
}

async function finish(
  { database, wakeMail }: ArchiveJobDeps,
  { id, attempt }: ArchiveAtWork,
  bytes: number,
  { leftOut }: ArchiveTally,
): Promise<boolean> {
  const isDone = await database.transactionAs(worker, async (db) => {
    const { rows } = await db.query<{ recipient: string | null }>(
      'select app.finish_archive($1, $2, $3, $4) as recipient',
      [id, attempt, bytes, JSON.stringify(leftOut)],
    )
    const recipient = rows[0]?.recipient
    if (recipient === null || recipient === undefined) return false
    await enqueueMail(db, {
      key: `archive:${id}`,
      template: 'archive-ready',
      recipient,
      data: { isWhole: leftOut.length === 0 },
    })
    return true
  })
  if (isDone) wakeMail()
  return isDone
}

/** Keeps the claim and shows the progress; its signal aborts when the archive ended or somebody else makes it. */
function startPulse({ database, log, folder }: ArchiveJobDeps, claimed: ArchiveAtWork) {
  const controller = new AbortController()
  let percent = 0
  const beat = async () => {
    const isOurs = await change(
      database,
      claimed,
      'progress = $3, next_at = now() + make_interval(secs => $4) where attempt = $2 and',
      percent,
      claimSeconds,
    )
    if (!isOurs) controller.abort(givenUp)
    else await requireRoom(folder)
  }
  const onFailure = (error: unknown) => {
    if (error instanceof ArchiveError) controller.abort(error)
    else log.warn({ err: error, archive: claimed.id }, 'the claim of an archive was not renewed')
  }
  const timer = setInterval(() => void beat().catch(onFailure), heartbeatMs)
  return {
    signal: controller.signal,
    show: (now: number) => {
      percent = Math.min(99, Math.max(percent, Math.floor(now) || 0))
    },
    end: () => clearInterval(timer),
  }
}

/** @throws {ArchiveError} */
async function requireRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < minFreeBytes) throw diskIsFull()
}

/**
 * Deletes the files of archives that ended, and later their rows. The files go twice: a process that was cut off from the database may have
 * stored one after the first time.
 */
async function removeEnded({ database, log, store }: ArchiveJobDeps): Promise<void> {
  await queryAs(
    database,
    worker,
    `update app.archives set state = 'expired' where state = 'done' and (expires_at <= now() or user_id is null)`,
  )
  const ended = await queryAs<{ id: string; attempt: number; is_old: boolean }>(
    database,
    worker,
    `select id, attempt, removed_at is not null as is_old from app.archives
      where (removed_at is null and (state in ('failed', 'expired') or user_id is null))
        or (removed_at < now() - interval '1 hour' and (user_id is null or created_at < now() - interval '7 days'))
      limit 1000`,
  )
  for (const { id, attempt, is_old: isOld } of ended) {
    try {
      for (let at = 1; at <= attempt; at++) await store.remove(archiveName(id, at))
    } catch (error) {
      log.warn({ err: error, archive: id }, 'the file of an archive could not be deleted')
      continue
    }
    await queryAs(
      database,
      worker,
      isOld
        ? 'delete from app.archives where id = $1'
        : 'update app.archives set removed_at = now() where id = $1',
      [id],
    )
  }
}
