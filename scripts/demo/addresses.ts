import type { Database } from '#server/postgres/database.ts'

/** An address that a visitor gave in a popup. */
export interface GivenEmail {
  popup: string
  /** Code or slug of the link or page that showed the popup. */
  name: string
  /** Milliseconds since 1970. */
  at: number
}

const firstNames = [
  'ada',
  'bo',
  'clara',
  'dev',
  'elif',
  'finn',
  'greta',
  'hana',
  'ivo',
  'jule',
  'kofi',
  'lena',
  'mateo',
  'nora',
  'oskar',
  'petra',
  'quinn',
  'rosa',
  'sami',
  'tilda',
  'uma',
]
const lastNames = [
  'berg',
  'costa',
  'dietz',
  'ekman',
  'farkas',
  'gruber',
  'holm',
  'ito',
  'jansen',
  'kern',
  'lund',
  'moreau',
  'novak',
  'ortiz',
  'peters',
  'reiter',
  'sato',
  'thoma',
  'vogel',
  'weiss',
]

/** The addresses of the events 'emailed', so that the audience agrees with the results. */
export async function addAddresses(
  database: Database,
  emails: readonly GivenEmail[],
): Promise<void> {
  if (emails.length === 0) return
  await database.transactionAs({ role: 'hoplet_owner' }, async (db) => {
    await db.query(
      `insert into app.audiences (user_id)
        select distinct p.user_id from app.popups p where p.id = any($1::uuid[]) on conflict do nothing`,
      [emails.map(({ popup }) => popup)],
    )
    await db.query(
      `insert into app.leads (user_id, popup_id, popup_version, email, consent_text, code, state, unsubscribe_token,
          tags, created_at, confirmed_at)
        select p.user_id, p.id, p.version, e.email, p.consent_text, e.name, 'confirmed', app.new_lead_token(),
          e.tags::text[], e.at, e.at
        from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) e (popup, name, email, tags, at)
        join app.popups p on p.id = e.popup`,
      [
        emails.map(({ popup }) => popup),
        emails.map(({ name }) => name),
        emails.map((_, n) => addressOf(n)),
        emails.map((_, n) => tagsOf(n)),
        emails.map(({ at }) => new Date(at)),
      ],
    )
  })
}

/** Different ones for the first 420 addresses, and numbered ones after them. */
function addressOf(n: number): string {
  const first = firstNames[n % firstNames.length] ?? ''
  const last = lastNames[(n * 3 + Math.floor(n / firstNames.length)) % lastNames.length] ?? ''
  const again = Math.floor(n / (firstNames.length * lastNames.length))
  return `${first}.${last}${again === 0 ? '' : again + 1}@reader.example`
}

function tagsOf(n: number): string {
  if (n % 7 === 0) return '{regular}'
  return n % 3 === 0 ? '{autumn}' : '{}'
}
