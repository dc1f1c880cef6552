import type { Transaction } from '../postgres/database.ts'
import { onlyRow } from '../postgres/rows.ts'

interface NewMedia {
  hash: string
  owner: string
  bytes: number
}

/**
 * Records an image under its owner, or says why not. One person's uploads queue here, so that parallel uploads get exactly
 * the rest of the day's limit. The same image counts once; uploading it again restarts its time.
 *
 * @param perDay Infinity: no limit
 */
export async function addMedia(
  db: Transaction,
  { hash, owner, bytes }: NewMedia,
  perDay: number,
): Promise<'added' | 'limit' | 'blocked'> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('hoplet.media ' || $1, 0))`, [
    owner,
  ])
  const { blocked, today } = await onlyRow<{ blocked: boolean; today: number }>(
    db,
    `select exists (select 1 from app.media_blocks where hash = $1) as blocked,
      (select count(*)::int from app.media m where m.owner_id = $2 and m.hash <> $1
        and (m.created_at at time zone 'utc')::date = app.today()) as today`,
    [hash, owner],
  )
  if (blocked) return 'blocked'
  if (today >= perDay) return 'limit'
  await db.query(
    `insert into app.media as m (hash, owner_id, bytes) values ($1, $2, $3)
      on conflict (hash, owner_id) do update set created_at = now(),
        unused_since = case when m.unused_since is not null then now() end`,
    [hash, owner, bytes],
  )
  return 'added'
}

/** Removes the row of an image that could not be stored. */
export async function dropMedia(db: Transaction, hash: string, owner: string): Promise<void> {
  await db.query('delete from app.media where hash = $1 and owner_id = $2', [hash, owner])
}

/** Where images are shown. */
const shown = `select app.media_hash(image_url) from app.popups where app.media_hash(image_url) is not null
  union all select app.media_hash(avatar_url) from app.bio_pages where avatar_url is not null
  union all select app.media_hash(image_url) from app.bio_links where image_url is not null`

/** Updates `unused_since`, and returns the images that no popup and no bio page has shown for that many hours. */
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
        and not exists (select 1 from app.popups where app.media_hash(image_url) = $1)
        and not exists (select 1 from app.bio_pages where app.media_hash(avatar_url) = $1 and avatar_url is not null)
        and not exists (select 1 from app.bio_links where app.media_hash(image_url) = $1 and image_url is not null)
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

/** Takes an image down for good: off every popup and bio page, and never stored again. */
export async function blockMedia(db: Transaction, hash: string): Promise<void> {
  await db.query('insert into app.media_blocks (hash) values ($1) on conflict do nothing', [hash])
  await db.query('delete from app.media where hash = $1', [hash])
  await db.query('update app.popups set image_url = null where app.media_hash(image_url) = $1', [
    hash,
  ])
  await db.query(
    'update app.bio_pages set avatar_url = null where app.media_hash(avatar_url) = $1 and avatar_url is not null',
    [hash],
  )
  await db.query(
    'update app.bio_links set image_url = null where app.media_hash(image_url) = $1 and image_url is not null',
    [hash],
  )
}
