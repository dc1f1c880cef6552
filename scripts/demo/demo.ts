import { randomInt } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '#server/context.ts'
import { makeBelongings } from './belongings.ts'
import { type FrontDoor, openFrontDoor } from './front-door.ts'
import { payMonths } from './money.ts'
import { type DemoPerson, demoPeople } from './people.ts'
import { fileReports } from './reports.ts'
import { type Target, visitOverTime } from './visits.ts'

export interface Demo {
  password: string
  accounts: { email: string; shows: string }[]
}

interface Running {
  context: Pick<Context, 'config' | 'database' | 'tokens'>
  url: string
}

/**
 * Fills an empty server with accounts for trying everything out; only `npm run dev` does so, and only once. The
 * password is random and kept in the data directory, so that it cannot be guessed if that folder is ever used for
 * more. Undefined when the server has real accounts.
 */
export async function makeDemo({ context, url }: Running): Promise<Demo | undefined> {
  const { database, config, tokens } = context
  const place = join(config.dataDir, 'demo-password')
  let password = await readFile(place, 'utf8').catch(() => undefined)
  if (password === undefined) {
    if (await hasPeople(context)) return undefined
    password = newPassword()
    await writeFile(place, password, { mode: 0o600 })
  }

  const door = openFrontDoor(url, tokens.anonKey)
  const made = new Map<string, string>()
  let adminToken: string | undefined
  const targets: Target[] = []
  for (const person of demoPeople) {
    const account = await makeAccount(door, person, password)
    if (account === undefined) continue
    await arrange(context, account.id, person)
    targets.push(...(await makeBelongings(door, account, person)))
    await backdate(context, account.id, person.joined)
    made.set(person.name, account.id)
    if (person.role === 'admin') adminToken = account.token
  }
  await visitOverTime(database, targets)
  await payMonths(
    database,
    demoPeople.flatMap(({ name, plan, paidMonths }) => {
      const id = made.get(name)
      return id === undefined || paidMonths === undefined ? [] : [{ id, plan, months: paidMonths }]
    }),
  )
  if (adminToken !== undefined) await fileReports(database, door, adminToken)
  return {
    password,
    accounts: demoPeople.flatMap(({ name, shows }) =>
      shows === undefined ? [] : [{ email: emailOf(name), shows }],
    ),
  }
}

/** Output of `npm run dev`. */
export function describeDemo({ password, accounts }: Demo): string {
  const width = Math.max(...accounts.map(({ email }) => email.length))
  const lines = accounts.map(({ email, shows }) => `    ${email.padEnd(width)}   ${shows}`)
  return `  Demo accounts, all with the password  ${password}\n\n${lines.join('\n')}\n`
}

async function hasPeople({ database }: Pick<Context, 'database'>): Promise<boolean> {
  const { rows } = await database.transactionAs({ role: 'hoplet_worker', readOnly: true }, (db) =>
    db.query('select 1 from app.profiles limit 1'),
  )
  return rows.length > 0
}

async function makeAccount(door: FrontDoor, person: DemoPerson, password: string) {
  const referrer = demoPeople.find(({ name }) => name === person.broughtBy)?.code
  return door.signUp({
    email: emailOf(person.name),
    password,
    data: {
      display_name: person.displayName,
      ...(referrer !== undefined && { referral_code: referrer }),
    },
  })
}

/** Role and plan, which cannot be chosen at sign-up. */
async function arrange(
  { database }: Pick<Context, 'database'>,
  id: string,
  { plan, role }: DemoPerson,
): Promise<void> {
  await database.transactionAs({ role: 'hoplet_billing' }, (db) =>
    db.query('update app.user_plans set plan_type = $2 where user_id = $1', [id, plan]),
  )
  if (role === undefined) return
  await database.transactionAs({ role: 'hoplet_worker' }, (db) =>
    db.query('update app.user_roles set role = $2 where user_id = $1', [id, role]),
  )
}

/** Moves newly created rows into the past, each to a different day. */
async function backdate(
  { database }: Pick<Context, 'database'>,
  id: string,
  joined: number,
): Promise<void> {
  await database.transactionAs({ role: 'hoplet_owner' }, async (db) => {
    for (const [table, key] of [
      ['profiles', 'id'],
      ['referrals', 'referred_user_id'],
    ] as const) {
      await db.query(
        `update app.${table} set created_at = created_at - make_interval(days => $2) where ${key} = $1`,
        [id, joined],
      )
    }
    for (const table of ['popups', 'bio_pages', 'shortened_urls']) {
      await db.query(
        `update app.${table} t
          set created_at = t.created_at - make_interval(days => greatest($2::integer / (n.ordinal + 1), 1)::integer)
          from (select id, row_number() over (order by created_at desc, id) as ordinal
            from app.${table} where user_id = $1) n
          where t.id = n.id`,
        [id, joined],
      )
    }
  })
}

function emailOf(name: string): string {
  return `${name}@demo.example`
}

const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Easy to type, 58 bits. */
function newPassword(): string {
  const part = () => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return `${part()}-${part()}-${part()}`
}
