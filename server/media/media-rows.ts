import type { Transaction } from '../postgres/database.ts'
import { onlyRow } from '../postgres/rows.ts'

interface NewMedia {
  hash: string
  owner: string
  bytes: number
}

export interface MediaLimits {
  /** Images of a person in a day. */
  perDay: number
  /** Bytes of all images of a person. */
  bytes: number
}

/**
 * Records an image under its owner, or says why not. One person's uploads queue here, so that parallel uploads get exactly
 * the rest of the limits. The same image counts once; uploading it again ("known") restarts its time.
 */
export async function addMedia(
  db: Transaction,
  { hash, owner, bytes }: NewMedia,
  limits: MediaLimits,
): Promise<'added' | 'known' | 'limit' | 'full' | 'blocked'> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('hoplet.media ' || $1, 0))`, [
    owner,
  ])
  const others = await onlyRow<{ blocked: boolean; today: number; bytes: number }>(
    db,
    `select exists (select 1 from app.media_blocks where hash = $1) as blocked,
      (count(*) filter (where (m.created_at at time zone 'utc')::date = app.today()))::int as today,
      coalesce(sum(m.bytes), 0)::float8 as bytes
    from app.media m where m.owner_id = $2 and m.hash <> $1`,
    [hash, owner],
  )
  if (others.blocked) return 'blocked'
  if (others.today >= limits.perDay) return 'limit'
  if (others.bytes + bytes > limits.bytes) return 'full'
  const { isNew } = await onlyRow<{ isNew: boolean }>(
    db,
    `insert into app.media as m (hash, owner_id, bytes) values ($1, $2, $3)
      on conflict (hash, owner_id) do update set created_at = now(),
        unused_since = case when m.unused_since is not null then now() end
      returning xmax = 0 as "isNew"`,
    [hash, owner, bytes],
  )
  return isNew ? 'added' : 'known'
}

/** Removes the row of a new image that could not be stored. */
export async function dropMedia(db: Transaction, hash: string, owner: string): Promise<void> {
  await db.query('delete from app.media where hash = $1 and owner_id = $2', [hash, owner])
}

/** Columns that show images, each with an index on its hash. */
const imageColumns = [
  { table: 'app.popups', column: 'image_url' },
  { table: 'app.bio_pages', column: 'avatar_url' },
  { table: 'app.bio_links', column: 'image_url' },
  { table: 'app.shortened_urls', column: 'preview_image_url' },
] as const

const hashIn = (column: string) => `${column} is not null and app.media_hash(${column})`

const shown = imageColumns
  .map(
    ({ table, column }) =>
      `select app.media_hash(${column}) from ${table} where ${hashIn(column)} is not null`,
  )
  .join(' union all ')

/** Updates `unused_since`, and returns the images that nothing has shown for that many hours. */
export async function findUnused(db: Transaction, hours: number): Promise<string[]> {
  await db.query(`update app.media set unused_since = null
    where unused_since is not null and hash in (${shown})`)
  await db.query(`update app.media set unused_since = now()
    where unused_since is null and hash not in (${shown})`)
  const { rows } = await db.query<{ hash: string }>(
    `select hash from app.media group by hash
      having bool_and(unused_since < now() - make_interval(hours => $1)) limit 1000`,
    [hours],
  )
  return rows.map(({ hash }) => hash)
}

/** Removes the rows of an image if still nothing shows it and no one uploaded it again. True: its bytes may go. */
export async function deleteUnused(db: Transaction, hash: string, hours: number): Promise<boolean> {
  const { rows } = await db.query<{ gone: boolean }>(
    `with gone as (
      delete from app.media where hash = $1 and unused_since < now() - make_interval(hours => $2)
        ${imageColumns.map(({ table, column }) => `and not exists (select from ${table} where ${hashIn(column)} = $1)`).join(' ')}
      returning 1
    )
    select exists (select 1 from gone) and (select count(*) from app.media where hash = $1) = (select count(*) from gone) as gone`,
    [hash, hours],
  )
  return rows[0]?.gone === true
}

export async function isKept(db: Transaction, hash: string): Promise<boolean> {
  const { rowCount } = await db.query('select from app.media where hash = $1 limit 1', [hash])
  return rowCount === 1
}

/** Takes an image down for good: off everything that shows it, and never stored again. */
export async function blockMedia(db: Transaction, hash: string): Promise<void> {
  await db.query('insert into app.media_blocks (hash) values ($1) on conflict do nothing', [hash])
  await db.query('delete from app.media where hash = $1', [hash])
  for (const { table, column } of imageColumns)
    await db.query(`update ${table} set ${column} = null where ${hashIn(column)} = $1`, [hash])
}
