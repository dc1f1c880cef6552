import { setTimeout as sleep } from 'node:timers/promises'
import {
  columnKeysOf,
  type RecordReader,
  recordOfRow,
  type SourceRecord,
} from '#domain/transfer/imported.ts'
import { mappedReader } from '#domain/transfer/readers/mapped.ts'
import { sourceReaders } from '#domain/transfer/source-readers.ts'
import type { ImportSourceId } from '#domain/transfer/sources.ts'
import { ownHostsOf } from '#domain/links/destinations.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs, valueAs } from '../postgres/rows.ts'
import { createSlices } from '../primitives/slices.ts'
import { type ImportAtWork, type ImportJobDeps, placesOf } from './import-at-work.ts'
import { prepareRow } from './prepare-row.ts'
import { readSourceStep } from './read-source.ts'

const worker = { role: 'hoplet_worker' } as const
const everyMs = 2_000
/** A process that dies keeps an import from the others for so long. */
const claimSeconds = 30
/** Work on one import before the next one has its turn. */
const turnMs = 5_000
/** Fewer than the 64 subtransactions of which PostgreSQL keeps the ids in memory. */
const batchLinks = 50
const batchChecks = 200
/** Bytes of records in memory at once, before the last one. */
const batchCheckBytes = 1_000_000
/** The pause after a batch as a part of its time: visitors have the rest. */
const pauseFactor = 1

/** Reads, checks, writes and undoes imports, one after another; those of several servers share the work. */
export function startImportJob(deps: ImportJobDeps) {
  let isClosing = false
  const job = deps.jobs.add('imports', { everyMs, firstRunMs: 1_000 }, async () => {
    for (;;) {
      const claimed = isClosing ? undefined : await claim(deps.database)
      if (!claimed) return
      await work(deps, claimed, () => isClosing).catch(async (error: unknown) => {
        deps.log.warn({ err: error, import: claimed.id }, 'an import stumbled')
        await queryAs(deps.database, worker, 'update app.imports set notice = $2 where id = $1', [
          claimed.id,
          'Something went wrong on this server. The import tries again by itself.',
        ])
      })
    }
  })
  return {
    /** Begins at once, if this process has the jobs. */
    wake: () => {
      if (deps.jobs.areTimed) void job.run()
    },
    close: async () => {
      isClosing = true
      await job.close()
    },
  }
}

async function claim(database: Database): Promise<ImportAtWork | undefined> {
  const [claimed] = await queryAs<ImportAtWork & Record<string, unknown>>(
    database,
    worker,
    `update app.imports i set next_at = now() + make_interval(secs => $1)
      where i.id = (select d.id from app.imports d
        where d.state in ('reading', 'running', 'waiting') and d.next_at <= now()
        order by d.next_at limit 1 for update skip locked)
      returning i.id, i.user_id, i.source, i.state, i.is_complete, i.undoes, i.headers, i.mapping, i.access, i.rows,
        i.choices ->> 'domain' as domain`,
    [claimSeconds],
  )
  return claimed
}

async function work(
  deps: ImportJobDeps,
  claimed: ImportAtWork,
  isClosing: () => boolean,
): Promise<void> {
  if (claimed.state === 'reading' && !claimed.is_complete) {
    await readSourceStep(deps, claimed)
    return
  }
  const step = claimed.state === 'reading' ? checkBatch : writeBatch
  const until = performance.now() + turnMs
  while (performance.now() < until && !isClosing()) {
    const startedAt = performance.now()
    if (!(await step(deps, claimed))) return
    await sleep((performance.now() - startedAt) * pauseFactor)
  }
  await queryAs(
    deps.database,
    worker,
    `update app.imports set next_at = now() where id = $1 and state in ('reading', 'running')`,
    [claimed.id],
  )
}

/** @returns whether there is more to do now */
async function writeBatch(
  { config, database }: ImportJobDeps,
  { id, user_id: sub, undoes }: ImportAtWork,
): Promise<boolean> {
  const asOwner = { ...worker, claims: { sub }, statementTimeout: 30_000 }
  const name = undoes ? 'undo_import_batch' : 'write_import_batch'
  const state = await valueAs<string>(database, asOwner, `select app.${name}($1, $2)`, [
    id,
    batchLinks,
  ])
  if (state !== 'hits') return state === 'running'
  const days = JSON.stringify(config.clickRetentionDays)
  const values = [id, days]
  return (
    (await valueAs<string>(database, asOwner, 'select app.write_import_hits($1, $2)', values)) ===
    'running'
  )
}

/** @returns whether there is more to check */
async function checkBatch(deps: ImportJobDeps, job: ImportAtWork): Promise<boolean> {
  const { config, database } = deps
  const asOwner = { ...worker, claims: { sub: job.user_id }, statementTimeout: 30_000 }
  const rows = await queryAs<{ place: number; record: SourceRecord | string[] }>(
    database,
    worker,
    `select place, record from (
        select place, record, sum(octet_length(record::text)) over (order by place) - octet_length(record::text) as before
        from (select place, record from app.import_rows where import_id = $1 and outcome is null
          order by place limit $2) next) sized
      where before < $3 order by place`,
    [job.id, batchChecks, batchCheckBytes],
  )
  if (rows.length === 0) {
    await queryAs(database, asOwner, 'select app.finish_import_check($1)', [job.id])
    return false
  }
  const keys = job.headers && columnKeysOf(job.headers)
  const reader = readerFor(job, keys ?? [])
  const places = await placesOf(database, job)
  const pause = createSlices()
  const prepared = []
  for (const { place, record } of rows) {
    const read = keys && Array.isArray(record) ? recordOfRow(keys, record) : record
    const context = {
      place,
      source: job.source,
      ownHosts: ownHostsOf(config),
      allowsPermanent: config.visits.allowPermanentRedirects,
      places,
    }
    prepared.push(prepareRow(reader.convert(read as SourceRecord), context))
    await pause()
  }
  const goesOn = await valueAs<boolean>(database, asOwner, 'select app.check_import_rows($1, $2)', [
    job.id,
    JSON.stringify(prepared),
  ])
  return goesOn === true
}

function readerFor({ source, mapping }: ImportAtWork, keys: readonly string[]): RecordReader {
  if (mapping) return mappedReader(mapping, keys)
  return sourceReaders[source as ImportSourceId]
}
