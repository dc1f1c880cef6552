import { createHash } from 'node:crypto'
import pg from 'pg'
import { apiRules } from '#server/tables/rules.ts'
import { apiCatalog } from '#test/catalog.ts'
import type { TestServer } from '#test/server.ts'
import { type Account, makeAccount, sendPatiently } from '../accounts.ts'
import type { Matrix } from './signed-matrix.ts'

/** Who asks about Ann's rows. */
export const actors = ['anon', 'owner', 'other', 'admin', 'service'] as const
export type Actor = (typeof actors)[number]

/** Asked of the database only, because the door refuses them: the answer is how many rows. */
export type Unfiltered = 'select all' | 'update all' | 'delete all'

/** One question: may this actor do this to this column of Ann's row? */
export interface Cell {
  relation: string
  verb: 'select' | 'lookup' | 'insert' | 'update' | 'delete' | Unfiltered
  column: string
}

/** `row`, `null` (a row, but not the value), `done`, `none` (no row to see or change), `denied`, or an SQLSTATE. */
export type Outcome = string

export interface World {
  server: TestServer
  accounts: Record<'owner' | 'other' | 'admin', Account>
  /** The key of Ann's row in each relation. */
  keys: Record<string, string>
  /** The row's key in a public look-up. */
  lookups: Record<string, string>
  /** The columns that an insert of Ann's needs at least. */
  inserts: Record<string, Record<string, unknown>>
  /** A valid value for each column, by its type unless it is listed. Ann's row gets it where it would be null. */
  values: Record<string, unknown>
  superuser: pg.Client
  close(): Promise<void>
}

const saved = [
  'auth.users',
  'auth.sessions',
  'app.profiles',
  'app.user_plans',
  'app.user_roles',
  'app.user_usage',
  'app.domains',
  'app.names',
  'app.popups',
  'app.shortened_urls',
  'app.shared_reports',
  'app.bio_pages',
  'app.bio_links',
  'app.bio_social_links',
  'app.affiliate_codes',
  'app.commissions',
  'app.tags',
  'app.audiences',
  'app.leads',
  'app.link_expectations',
  'app.placements',
  'app.destination_checks',
  'app.utm_templates',
  'app.qr_looks',
  'app.day_notes',
  'app.spaces',
  'app.members',
  'app.invitations',
  'app.link_moves',
  'app.former_domains',
]

/** Two people with one row of everything, and an admin. */
export async function makeWorld(server: TestServer): Promise<World> {
  const owner = await makeAccount(server, { plan: 'pro' })
  const other = await makeAccount(server, { plan: 'pro' })
  const admin = await makeAccount(server, { role: 'admin' })
  // Owns their spaces too, so that each may go.
  const partner = await makeAccount(server, { plan: 'business' })
  const ann = await fill(server, owner.id, 'ann', 'ANNANN01', partner.id)
  const bob = await fill(server, other.id, 'bob', 'BOBBOB01', partner.id)
  const superuser = new pg.Client({ connectionString: server.superuserUrl })
  await superuser.connect()
  const byUser = owner.id
  const world: World = {
    server,
    accounts: { owner, other, admin },
    superuser,
    close: () => superuser.end(),
    keys: {
      profiles: byUser,
      user_plans: byUser,
      user_roles: byUser,
      user_usage: byUser,
      affiliate_codes: byUser,
      shortened_urls: ann.link,
      popups: ann.popup,
      bio_pages: ann.page,
      bio_links: ann.bioLink,
      bio_social_links: ann.social,
      commissions: ann.commission,
      shared_reports: ann.report,
      tags: ann.tag,
      leads: ann.lead,
      link_expectations: ann.expectation,
      placements: ann.placement,
      utm_templates: ann.template,
      qr_looks: ann.qrLook,
      day_notes: ann.note,
      spaces: ann.space,
      members: ann.space,
      invitations: ann.invitation,
      link_moves: ann.move,
      domains: ann.domain,
    },
    lookups: {
      shortened_urls: 'ann-link',
      popups: ann.popup,
      bio_pages: 'ann',
      bio_links: ann.page,
      bio_social_links: ann.page,
    },
    inserts: {
      profiles: { id: byUser },
      user_plans: { user_id: byUser },
      user_roles: { user_id: byUser },
      user_usage: { user_id: byUser },
      shortened_urls: { user_id: byUser, original_url: 'https://example.com/new' },
      popups: { user_id: byUser, title: 'New', cta_url: 'https://example.com/new' },
      bio_pages: { user_id: byUser, slug: 'ann-new', title: 'New' },
      bio_links: { bio_page_id: ann.page, title: 'New', url: 'https://example.com/new' },
      bio_social_links: {
        bio_page_id: ann.page,
        platform: 'github',
        url: 'https://example.com/new',
      },
      affiliate_codes: { user_id: byUser, code: 'NEWNEW01' },
      commissions: { affiliate_user_id: byUser, amount: 1, tier: 1 },
      shared_reports: { link_id: ann.link },
      tags: { user_id: byUser, name: 'new' },
      leads: {
        user_id: byUser,
        popup_version: 1,
        email: 'new@example.com',
        consent_text: 'Yes',
        state: 'confirmed',
        unsubscribe_token: 'new',
      },
      link_expectations: {
        link_id: ann.link,
        name: 'new',
        visit: '{}',
        expected_url: 'https://example.com/',
      },
      placements: { link_id: ann.link, name: 'new', mark: 'nw' },
      utm_templates: { user_id: byUser, name: 'new' },
      qr_looks: { user_id: byUser, name: 'new', look: {} },
      day_notes: { user_id: byUser, day: '2026-02-01', text: 'new' },
      spaces: { slug: 'new-space' },
      members: { account_id: ann.space, person_id: byUser, role: 'owner' },
      invitations: { account_id: ann.space, role: 'viewer' },
      link_moves: { from_account: byUser, to_account: ann.space, links: 1 },
      domains: { user_id: byUser, host: 'new.example' },
    },
    values: {
      ...(await valuesByType(superuser)),
      id: '00000000-0000-4000-8000-000000000001',
      user_id: other.id,
      day: '2026-03-01',
      affiliate_user_id: other.id,
      bio_page_id: bob.page,
      email: 'x@example.com',
      created_by: other.id,
      used_by: other.id,
      account_id: bob.space,
      from_account: other.id,
      to_account: bob.space,
      made_by: other.id,
      finished_at: '2020-01-01T00:00:00Z',
      'link_moves.state': 'done',
      'domains.id': 1_000_000,
      'domains.records': '[]',
      'domains.host': 'other.example',
      root_url: 'https://example.com/other',
      missing_url: 'https://example.com/other',
      problem: 'txt-missing',
      checked_at: '2020-01-01T00:00:00Z',
      certificate_ends_at: '2030-01-01T00:00:00Z',
      person_id: other.id,
      last_seen_at: '2020-01-01T00:00:00Z',
      'members.role': 'viewer',
      'invitations.role': 'viewer',
      created_at: '2020-01-01T00:00:00Z',
      first_click_at: '2020-01-01T00:00:00Z',
      last_click_at: '2020-01-01T00:00:00Z',
      plan_type: 'business',
      role: 'admin',
      short_code: 'new-code',
      external_id: 'sku-1',
      original_url: 'https://example.com/other',
      show_popup: false,
      popup_id: ann.popup2,
      tags: '{other}',
      aliases: '{other}',
      archived_at: '2020-01-01T00:00:00Z',
      starts_at: '2020-01-01T00:00:00Z',
      ends_at: '2999-01-01T00:00:00Z',
      fallback_url: 'https://example.com/other',
      redirect_status: 307,
      preview_image_url: 'https://example.com/i.png',
      color: '#000001',
      link_id: bob.link,
      tag_id: bob.tag,
      expires_at: '2999-01-01T00:00:00Z',
      // The database takes a hash only.
      password: '',
      visit: '{"country":"DE"}',
      expected_url: 'https://example.com/other',
      cta_url: 'https://example.com/cta',
      image_url: `/media/${'a'.repeat(64)}.webp`,
      kind: 'link',
      background_color: '#000001',
      text_color: '#000001',
      button_color: '#000001',
      button_text_color: '#000001',
      position: 'top',
      size_preset: 'small',
      is_active: false,
      font_style: 'casual',
      shadow_style: 'none',
      slug: 'new-slug',
      domain: 'ann.example',
      theme_primary: '1 1% 1%',
      theme_background: '1 1% 1%',
      theme_text: '1 1% 1%',
      look: 'poster',
      label_settings: { format: 'L7160', dx: 1, dy: 0 },
      'qr_looks.look': { cells: 'dots' },
      version: 9,
      avatar_url: `/media/${'a'.repeat(64)}.webp`,
      url: 'https://example.com/other',
      platform: 'twitter',
      code: 'OTHER001',
      tier: 2,
      status: 'paid',
      state: 'unsubscribed',
      confirmed_at: '2020-01-01T00:00:00Z',
      unsubscribed_at: '2020-01-01T00:00:00Z',
    },
  }
  await fillNulls(world)
  await superuser.query('create schema saved')
  for (const table of saved) {
    await superuser.query(`create table saved.${table.replace('.', '_')} as table ${table}`)
  }
  return world
}

/** A value of its type for each column of the API, but for names that have another type in another relation. */
async function valuesByType(superuser: pg.Client): Promise<Record<string, unknown>> {
  const { rows } = await superuser.query<{ name: string; category: string }>(
    `select attname as name, min(typcategory::text) as category
     from pg_attribute join pg_class c on c.oid = attrelid join pg_type t on t.oid = atttypid
     where c.relnamespace = 'api'::regnamespace and attnum > 0
     group by attname having count(distinct typcategory) = 1`,
  )
  const values: Record<string, unknown> = { B: true, N: 9, S: 'other' }
  return Object.fromEntries(rows.map(({ name, category }) => [name, values[category]]))
}

/** Gives Ann's rows a value in each column, so that a null in an answer means that the value is hidden. */
async function fillNulls(world: World): Promise<void> {
  for (const { name, columns } of apiCatalog.relations.values()) {
    const { rows } = await world.superuser.query<{ column: string }>(
      `select attname::text as column from pg_attribute
       where attrelid = $1::regclass and attname = any ($2) and not attnotnull`,
      [`app.${name}`, columns.filter((column) => !readsAsNull(name, column))],
    )
    for (const { column } of rows) {
      // No link or page gets a domain later.
      const role = column === 'domain' ? 'replica' : 'origin'
      await world.superuser.query(`set session_replication_role = ${role}`)
      await world.superuser.query(
        `update app.${name} set ${column} = coalesce(${column}, $2) where ${keyOf(name)} = $1`,
        [world.keys[name], valueOf(world, name, column)],
      )
      await world.superuser.query('set session_replication_role = origin')
    }
  }
}

/** Passwords; and a report is about a link or a tag, and Ann's is about a link. */
const readsAsNull = (relation: string, column: string) =>
  apiRules.relations[relation]?.passwords?.includes(column) === true ||
  (relation === 'shared_reports' && column === 'tag_id')

/** @throws when a column has a type of which the matrix knows no value: it needs one in `makeWorld` */
export function valueOf(world: World, relation: string, column: string): unknown {
  const value = world.values[`${relation}.${column}`] ?? world.values[column]
  if (value === undefined) throw new Error(`The matrix needs a value for ${relation}.${column}`)
  return value
}

export function keyOf(relation: string): string {
  return apiCatalog.relations.get(relation)?.key[0] ?? 'id'
}

export function lookupColumnOf(relation: string): string | undefined {
  return apiRules.relations[relation]?.lookup?.by
}

async function fill(server: TestServer, user: string, name: string, code: string, partner: string) {
  const insert = async (table: string, row: Record<string, unknown>) => {
    const columns = Object.keys(row)
    const marks = columns.map((_, index) => `$${index + 1}`)
    const [made] = await server.sql<{ id: string }>(
      `insert into app.${table} (${columns.join(', ')}) values (${marks.join(', ')}) returning *`,
      Object.values(row),
    )
    return made?.id ?? ''
  }
  const domain = await insert('domains', {
    user_id: user,
    host: `${name}.example`,
    is_served: true,
  })
  const words = { title: name, description: 'words' }
  const popup = await insert('popups', {
    name: 'Own',
    user_id: user,
    ...words,
    cta_url: 'https://example.com/',
    image_url: 'https://example.com/p.png',
  })
  const popup2 = await insert('popups', { user_id: user, ...words })
  const link = await insert('shortened_urls', {
    user_id: user,
    short_code: `${name}-link`,
    original_url: 'https://example.com/',
    show_popup: true,
    popup_id: popup,
  })
  // The retention of a server without CHECK_LINKS leaves no earlier check.
  await server.sql(
    `insert into app.destination_checks (user_id, address_hash, checked_at, finding)
      select user_id, sha256(convert_to(original_url, 'UTF8')), now() + interval '1 day', 'dead' from app.shortened_urls where id = $1`,
    [link],
  )
  await server.sql('update app.profiles set display_name = $2 where id = $1', [user, name])
  const page = await insert('bio_pages', { user_id: user, slug: name, ...words, popup_id: popup })
  const bioLink = await insert('bio_links', {
    bio_page_id: page,
    title: name,
    url: 'https://example.com/',
  })
  const social = await insert('bio_social_links', {
    bio_page_id: page,
    platform: 'github',
    url: 'https://example.com/',
  })
  await insert('affiliate_codes', { user_id: user, code })
  const commission = await insert('commissions', {
    affiliate_user_id: user,
    amount_cents: 175,
    tier: 1,
    provider: 'play_money',
    invoice_id: `in_${name}`,
    payer_id: user,
    kind: 'earned',
    step: 0,
    rate_percent: 25,
    base_cents: 700,
    due_at: '2030-01-01T00:00:00Z',
  })
  const report = await insert('shared_reports', { link_id: link })
  const tag = await insert('tags', { user_id: user, name })
  await insert('audiences', { user_id: user })
  const lead = await insert('leads', {
    user_id: user,
    popup_id: popup,
    popup_version: 1,
    email: `${name}@example.com`,
    consent_text: 'Yes',
    code: `${name}-link`,
    source: 'example.com',
    state: 'confirmed',
    unsubscribe_token: name,
  })
  const template = await insert('utm_templates', { user_id: user, name })
  const qrLook = await insert('qr_looks', { user_id: user, name, look: '{}' })
  const note = await insert('day_notes', { user_id: user, day: '2026-01-01', text: name })
  const expectation = await insert('link_expectations', {
    link_id: link,
    name,
    visit: '{}',
    expected_url: 'https://example.com/',
  })
  const placement = await insert('placements', { link_id: link, user_id: user, name, mark: name })
  const [made] = await server.sql<{ id: string }>(
    `insert into auth.users (kind, user_metadata) values ('space', '{"display_name":"Team"}') returning id`,
  )
  const space = made?.id ?? ''
  await insert('spaces', { id: space, slug: name, made_by: user })
  await insert('members', { account_id: space, person_id: user, role: 'owner' })
  await insert('members', { account_id: space, person_id: partner, role: 'owner' })
  await server.sql(`update app.user_plans set plan_type = 'business' where user_id = $1`, [space])
  const invitation = await insert('invitations', {
    account_id: space,
    role: 'viewer',
    token_hash: createHash('sha256').update(name).digest(),
  })
  const move = await insert('link_moves', {
    from_account: user,
    to_account: space,
    from_scope: 1,
    to_scope: 2,
    links: 1,
    state: 'done',
  })
  return {
    space,
    domain,
    invitation,
    move,
    placement,
    expectation,
    lead,
    tag,
    report,
    template,
    qrLook,
    note,
    popup,
    popup2,
    link,
    page,
    bioLink,
    social,
    commission,
  }
}

export function cellsOf(relation: string): Cell[] {
  const { columns = [] } = apiCatalog.relations.get(relation) ?? {}
  const verbs = lookupColumnOf(relation)
    ? (['select', 'lookup', 'insert', 'update'] as const)
    : (['select', 'insert', 'update'] as const)
  return [
    ...verbs.flatMap((verb) => columns.map((column) => ({ relation, verb, column }))),
    { relation, verb: 'delete' as const, column: '*' },
  ]
}

export function unfilteredCellsOf(relation: string): Cell[] {
  const { columns = [], access } = apiCatalog.relations.get(relation) ?? {}
  return [
    { relation, verb: 'select all', column: columns[0] ?? 'id' },
    ...(access?.authenticated?.update ?? []).map((column) => ({
      relation,
      verb: 'update all' as const,
      column,
    })),
    { relation, verb: 'delete all', column: '*' },
  ]
}

/** An insert needs room: most tables have one row a person. */
export function makeRoom(world: World, cell: Cell): string {
  const key = keyOf(cell.relation)
  return `set local session_replication_role = replica;
    delete from app.${cell.relation} where ${key} = '${world.keys[cell.relation]}';
    set local session_replication_role = origin`
}

async function restore(world: World): Promise<void> {
  const steps = saved.map((table) => {
    const copy = `saved.${table.replace('.', '_')}`
    return `delete from ${table}; insert into ${table} overriding system value select * from ${copy}`
  })
  await world.superuser.query(
    `begin; set local session_replication_role = replica; ${steps.join(';')}; commit`,
  )
}

/** A digest of all rows, to see whether anything changed. */
export async function stateOf(world: World): Promise<string> {
  const parts = saved.map(
    (table) =>
      `select '${table}' as name, coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as d from ${table} t`,
  )
  const { rows } = await world.superuser.query<{ state: string }>(
    `select string_agg(d, '' order by name) as state from (${parts.join(' union all ')}) as all_tables`,
  )
  return rows[0]?.state ?? ''
}

/** The outcome of each cell for all actors, in the order of `actors`. */
export async function makeMatrix(
  cells: Cell[],
  probe: (actor: Actor, cell: Cell) => Promise<Outcome>,
): Promise<Matrix> {
  const matrix = new Map<string, string>()
  for (const cell of cells) {
    const outcomes: Outcome[] = []
    for (const actor of actors) outcomes.push(await probe(actor, cell))
    const name = `${cell.relation} ${cell.verb} ${cell.column}`
    // The service sees everything. If it sees null, Ann's row has no value, and the line proves nothing.
    if (outcomes.at(-1) === 'null' && !readsAsNull(cell.relation, cell.column))
      throw new Error(`${name}: Ann's row has no value to hide`)
    matrix.set(name, outcomes.join(' '))
  }
  return matrix
}

/** Undefined for those who are not signed in. */
export function headersOf(
  { server, accounts }: World,
  actor: Actor,
): { headers: Record<string, string> } | undefined {
  if (actor === 'anon') return undefined
  if (actor !== 'service') return accounts[actor]
  const key = server.serviceRoleKey
  return { headers: { apikey: key, authorization: `Bearer ${key}` } }
}

/** Asks over HTTP, and checks in the database that refused requests have changed nothing. */
export function overHttp(
  world: World,
  untouched: string,
): (actor: Actor, cell: Cell) => Promise<Outcome> {
  const ask = overHttpWith(world, untouched)
  return (actor, cell) => ask(headersOf(world, actor), cell)
}

/** The same for any caller with these headers. */
export function overHttpWith(
  world: World,
  untouched: string,
): (who: { headers: Record<string, string> } | undefined, cell: Cell) => Promise<Outcome> {
  const { server } = world
  return async (who, cell) => {
    const { relation, verb, column } = cell
    const key = `${keyOf(relation)}=eq.${world.keys[relation]}`
    if (verb === 'select' || verb === 'lookup') {
      const filter =
        verb === 'select' ? key : `${lookupColumnOf(relation)}=eq.${world.lookups[relation]}`
      const { status, body } = await sendPatiently(
        server,
        who,
        'GET',
        `${relation}?select=${column}&${filter}`,
      )
      return readOutcome(status, body, column)
    }
    if (verb === 'insert') await world.superuser.query(`begin; ${makeRoom(world, cell)}; commit`)
    // The expectation of Ann's link would be broken by some of the values.
    const prefer = { prefer: 'count=exact, expectations=ignore' }
    const sent =
      verb === 'insert'
        ? await sendPatiently(server, who, 'POST', relation, insertBody(world, cell), prefer)
        : verb === 'update'
          ? await sendPatiently(
              server,
              who,
              'PATCH',
              `${relation}?${key}`,
              { [column]: valueOf(world, relation, column) },
              prefer,
            )
          : await sendPatiently(server, who, 'DELETE', `${relation}?${key}`, undefined, prefer)
    const none = sent.headers.get('content-range') === '*/0'
    const outcome =
      sent.status >= 400 ? readOutcome(sent.status, sent.body, column) : none ? 'none' : 'done'
    if (verb === 'insert' || outcome === 'done') await restore(world)
    if ((await stateOf(world)) !== untouched)
      throw new Error(`${verb} ${relation}.${column}: ${outcome}, but rows changed`)
    return outcome
  }
}

export function insertBody(world: World, { relation, column }: Cell): Record<string, unknown> {
  const body = { ...world.inserts[relation] }
  if (!(column in body)) body[column] = valueOf(world, relation, column)
  return body
}

function readOutcome(status: number, body: unknown, column: string): Outcome {
  if (status === 401 || status === 403) return 'denied'
  if (status >= 400) return String((body as { code: string }).code)
  const [row] = body as Record<string, unknown>[]
  if (!row) return 'none'
  return row[column] === null ? 'null' : 'row'
}
