import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { createPlainClient } from '../postgres/client.ts'
import { to as copyTo } from 'pg-copy-streams'
import manifest from '../../package.json' with { type: 'json' }
import { ifMissing } from '../primitives/error-code.ts'
import { BackupError } from './backup-error.ts'
import { openJournalFiles, readSnapshotMarks } from './journal-copy.ts'
import { type Contents, contentsName, jsonEntry, newManifest } from './manifest.ts'
import type { Entry } from './tar.ts'
import {
  listTables,
  readClickMonths,
  readSequences,
  requireWholeTables,
  sumTable,
  type Table,
  textSettings,
} from './tables.ts'
import { ifDefined } from '../primitives/if-defined.ts'

/** Parts of a server that a backup reads. */
export interface DumpSource {
  databaseUrl: string
  /** Undefined: a server on another machine; its keys and journal cannot be read here. */
  dataDir: string | undefined
  /** Reads an image by its hash; undefined: images are not part of the backup. */
  readImage: ((hash: string) => Promise<Buffer | undefined>) | undefined
  /** Set by JWT_SIGNING_KEY: the key itself is then not part of the backup. */
  hasOwnSigningKey: boolean
  /** Ends it early, with an error. */
  signal?: AbortSignal
}

const partBytes = 1024 ** 2

/**
 * Everything that a server has to keep, as the files of a backup: the rows of one snapshot, the clicks that it does not
 * have yet, keys and images. The snapshot only reads and takes no lock. Memory is bounded by parts of 1 MiB.
 */
export async function* dump(source: DumpSource): AsyncGenerator<Entry> {
  const { dataDir, signal } = source
  signal?.throwIfAborted()
  const client = createPlainClient(source.databaseUrl, 'backup')
  // Ending a client breaks off the query in progress.
  const giveUp = () => void client.end().catch(() => {})
  signal?.addEventListener('abort', giveUp)
  let journal: Awaited<ReturnType<typeof openJournalFiles>> | undefined
  const contents: Contents = {
    tables: [],
    sequences: [],
    images: { included: 0, missing: 0, left: 0 },
    ...(dataDir !== undefined && { journal: { files: 0, bytes: 0 } }),
  }
  let hashes: string[]
  try {
    await client.connect()
    if (dataDir !== undefined) journal = await openJournalFiles(join(dataDir, 'journal'))
    await client.query(
      `begin isolation level repeatable read read only; set local role hoplet_owner; ${textSettings}`,
    )
    const about = await readAbout(client)
    await journal?.fix()
    await requireWholeTables(client)
    const keys = await ifDefined(dataDir, readKeyFile)
    const isIncluded = !source.hasOwnSigningKey
    yield newManifest({ ...about, ...(keys && { signingKey: { kid: keys.kid, isIncluded } }) })
    if (keys && isIncluded) yield { name: 'keys.json', data: keys.data }

    contents.sequences = await readSequences(client)
    for (const table of await listTables(client)) {
      contents.tables.push({ name: table.sql, ...(await sumTable(client, table)) })
      yield* copyOut(client, table)
    }
    const marks = await readSnapshotMarks(client)
    hashes = await readImageHashes(client)
    await client.query('commit')
    for await (const entry of journal?.entries(marks) ?? []) {
      if (contents.journal) {
        contents.journal.files++
        contents.journal.bytes += entry.data.length
      }
      yield entry
    }
  } finally {
    signal?.removeEventListener('abort', giveUp)
    await journal?.close()
    await client.end().catch(() => {})
  }
  for await (const entry of imagesOf(hashes, source.readImage, contents.images)) {
    signal?.throwIfAborted()
    yield entry
  }
  yield jsonEntry(contentsName, contents)
}

/** The first query takes the snapshot. */
async function readAbout(client: pg.Client) {
  const { rows } = await client.query<{ at: string; version: string; known: boolean }>(
    `select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
      current_setting('server_version') as version, to_regclass('hoplet.migrations') is not null as known`,
  )
  const found = rows[0]
  if (!found?.known) throw new BackupError('This database has no Hoplet yet: nothing to back up.')
  const { rows: migrations } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from hoplet.migrations order by name',
  )
  return {
    hoplet: manifest.version,
    postgresql: found.version,
    takenAt: found.at,
    migrations,
    clickMonths: await readClickMonths(client),
  }
}

async function readKeyFile(dataDir: string): Promise<{ data: Buffer; kid: string } | undefined> {
  const data = await readFile(join(dataDir, 'keys.json')).catch(ifMissing(undefined))
  if (!data) return undefined
  const keys = JSON.parse(data.toString()) as { signingKey?: { kid?: string } }
  return { data, kid: keys.signingKey?.kid ?? '' }
}

/** A partitioned table cannot be copied by its name, so all are copied by a query. */
async function* copyOut(client: pg.Client, table: Table): AsyncGenerator<Entry> {
  const query = `copy (select ${table.columns.join(', ')} from ${table.sql}) to stdout`
  const rows = client.query(copyTo(query))
  let part = 0
  let held: Buffer[] = []
  let bytes = 0
  const entry = (): Entry => {
    const data = Buffer.concat(held)
    held = []
    bytes = 0
    return { name: tableEntryName(table, ++part), data }
  }
  for await (const chunk of rows as AsyncIterable<Buffer>) {
    held.push(chunk)
    bytes += chunk.length
    if (bytes >= partBytes) yield entry()
  }
  if (bytes > 0) yield entry()
}

function tableEntryName({ schema, name }: Table, part: number): string {
  return `tables/${schema}.${name}/${String(part).padStart(8, '0')}`
}

async function readImageHashes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ hash: string }>({
    text: 'select distinct hash from app.media order by hash',
  })
  return rows.map(({ hash }) => hash)
}

async function* imagesOf(
  hashes: readonly string[],
  read: DumpSource['readImage'],
  counts: Contents['images'],
): AsyncGenerator<Entry> {
  if (!read) {
    counts.left = hashes.length
    return
  }
  for (const hash of hashes) {
    const data = await read(hash)
    if (data) {
      counts.included++
      yield { name: `media/${hash}.webp`, data }
    } else {
      // Removed since the snapshot, because nothing showed it for a day.
      counts.missing++
    }
  }
}
