import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import { accountDeletionMs } from '../postgres/begin.ts'
import { procedureShapes } from './openapi/procedure-shapes.ts'
import type { ProcedureShapes } from './openapi/shapes.ts'
import { readDomainTarget, readHostOfDomain } from './checks/read-domain.ts'
import { readLookOfQrCodes } from './checks/read-qr-look.ts'
import { readLinkRules, readSimulatedVisit } from './checks/read-link-rules.ts'

/** Rules of a schema at the table door that grants cannot express; everything else comes from catalog.ts. */
export interface SchemaRules {
  /** No response has more rows than this, and no request writes more. */
  maxRows: number
  /** Allows `count()`, `sum()` and so on in `select`: one request may then read every row of a relation. */
  aggregates?: true
  relations: Readonly<Record<string, RelationRules>>
  functions: Readonly<Record<string, FunctionRules>>
  /** For the description of the door only. */
  shapes?: ProcedureShapes
}

/**
 * How an address is checked before it is stored: as a link's destination (not this server), as any http(s) address,
 * or as one where '' means none.
 */
export type UrlRule =
  | 'destination'
  | 'optional-destination'
  | 'address'
  | 'optional-address'
  | 'image'
  | 'social'

export interface RelationRules {
  /** Reads a column before it goes into a statement, and returns the value to store. @throws {ProtocolError} */
  reads?: Readonly<Record<string, (value: unknown) => unknown>>
  /** The column that holds the key of a name, beside the column `domain` (name-keys.ts). */
  nameKey?: string
  /** The columns that hold addresses. */
  urls?: Readonly<Record<string, UrlRule>>
  /**
   * For people, `column = <their id>` joins every query beside row security; with `through`, the column must be a key
   * of that relation's own rows. Absent where admins read all rows: there row security alone decides.
   */
  owner?: { column: string; through?: string }
  /**
   * The public look-up: with the filter `by=eq.<key>` everyone may read the rows with that key, in the columns that
   * `anon` may select. Without the filter, people who are not signed in get no rows.
   */
  lookup?: {
    by: string
    key: RegExp
    guessable?: true
    /** SQL that finds how people name a row now (`key`), by its former key, which is `$1`. */
    present?: string
  }
  /**
   * Columns that hold a password and read as null: its hash takes its place before a statement is made (hash-passwords.ts), and
   * no filter or order names them.
   */
  passwords?: readonly string[]
  /** Writes may change where links lead. */
  changesLinks?: true
  /** Time limit of a write, for relations that change many rows of another one. Default: the limit of its caller's role. */
  timeLimitMs?: number
  /** Answers to repeated writes are not kept: an erased row must not stay in one. */
  keepsNoAnswers?: true
  /** The column with the status of a redirect: some need the operator's permission. */
  redirectStatus?: string
  /** The column that claims a name of the `/{code}` namespace: each insert that names it is a guess. */
  claims?: string
  /** A PATCH that sets only this column, filtered only by `by`, counts one visit with that function. */
  visits?: { column: string; by: string; function: string }
  /** Open to API keys that are limited to domains: row security leaves the rows of others out. */
  isOfDomains?: true
  /** Rights of apps with a person's token. Default: none (docs/decisions/0062). */
  apps?: AppRules
  /** Rights of members of a space who are not its owners. Default: those of apps. */
  members?: MemberRules | 'owners'
}

export interface AppRules {
  read: OAuthScope
  write?: OAuthScope
  /** A second scope for writes, where they publish rows of that scope. */
  writeNeeds?: OAuthScope
  /** The columns that an app without `read` may still name, to say which row it writes. */
  writerColumns?: readonly string[]
  /** Columns that need a separate scope. */
  columns?: Readonly<Record<string, OAuthScope>>
  /** Limits an admin's app to the admin's own rows. */
  owner?: { column: string }
}

interface MemberRules extends AppRules {
  /** Only owners delete rows. */
  ownersDelete?: true
}

interface ListedRows {
  relation: string
  /** A row with a blank one is left out by the function, or refused by the table. */
  needed: readonly string[]
}

export interface FunctionRules {
  /** It may claim a name: a call that is refused is a guess. */
  claims?: true
  /** It may change where links lead. */
  changesLinks?: true
  /** The argument that lists the rows that it changes. */
  changes?: string
  /** It tells whether a name exists: each call is a guess. */
  guesses?: true
  /** Arguments that are lists of a relation's rows: their addresses are checked as in a write to it. */
  rowsOf?: Readonly<Record<string, ListedRows>>
  /** Reads an argument before it goes into a statement, and returns the form to store. @throws {ProtocolError} */
  reads?: Readonly<
    Record<string, (value: unknown, site: { ownHosts: readonly string[] }) => unknown>
  >
  /** The argument that is a list of a relation's rows, with a separate result for each (bulk.ts). */
  bulk?: { argument: string; relation: string }
  /** Maximum size of the body. Default: 64 KiB. */
  maxBytes?: number
  /** Default: the limit of its caller's role. */
  timeLimitMs?: number
  /** The argument that names the visited target: visitors see the counter or owners pay for it, so calls are limited. */
  visits?: string
  /** Answers to repeated calls are not kept: they have a secret. */
  keepsNoAnswers?: true
  /** Open to API keys that are limited to domains: it makes links there, and reads none of others. */
  isOfDomains?: true
  /** An app needs one of these scopes; without them it may not call the function. */
  apps?: readonly OAuthScope[]
  /** It needs all of them: a write that answers with the existing row. */
  appsNeedAll?: boolean
  /** A member of a space who is not its owner needs one of these rights. Default: the scopes of apps. */
  members?: readonly OAuthScope[] | 'owners' | 'everyone'
}

/** The key of a name, which may be that of a domain. */
const code = /^(?:[1-9][0-9]{0,9}\/)?[a-z0-9_-]{1,64}$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const bioEntries = {
  read: 'bio:read',
  write: 'bio:write',
  writerColumns: ['id', 'bio_page_id'],
} as const

/** Time for a change of 100,000 links of one account. */
const ofAllLinksMs = 15_000

/** 10,000 ids of links. */
const moveBytes = 524_288

/** The rules of the schema `api`. */
export const apiRules: SchemaRules = {
  maxRows: 1_000,
  shapes: procedureShapes,
  relations: {
    profiles: {
      timeLimitMs: accountDeletionMs,
      apps: { read: 'profile', columns: { email: 'email' }, owner: { column: 'id' } },
      members: { read: 'links:read' },
    },
    user_plans: { members: { read: 'links:read' } },
    user_usage: { owner: { column: 'user_id' }, members: { read: 'links:read' } },
    spaces: { apps: { read: 'members:read' } },
    members: { owner: { column: 'account_id' }, apps: { read: 'members:read' } },
    link_moves: { apps: { read: 'links:read' } },
    invitations: {
      owner: { column: 'account_id' },
      apps: { read: 'members:read' },
      members: 'owners',
    },
    shortened_urls: {
      urls: {
        original_url: 'destination',
        fallback_url: 'optional-destination',
        preview_image_url: 'image',
      },
      passwords: ['password'],
      redirectStatus: 'redirect_status',
      changesLinks: true,
      owner: { column: 'user_id' },
      lookup: {
        by: 'short_code',
        key: code,
        guessable: true,
        present:
          'select app.shown_name(alias_of) as key from app.names where name = $1 and alias_of is not null',
      },
      visits: { column: 'click_count', by: 'short_code', function: 'count_visit' },
      claims: 'short_code',
      nameKey: 'short_code',
      isOfDomains: true,
      apps: {
        read: 'links:read',
        write: 'links:write',
        writerColumns: ['id', 'short_code', 'domain'],
      },
    },
    shared_reports: {
      owner: { column: 'user_id' },
      passwords: ['password'],
      // The token opens the analytics of the link or tag to everyone.
      apps: {
        read: 'links:read',
        write: 'links:write',
        writeNeeds: 'analytics:read',
        writerColumns: ['id', 'link_id', 'tag_id'],
        columns: { token: 'analytics:read' },
      },
      members: 'owners',
    },
    link_expectations: {
      owner: { column: 'link_id', through: 'shortened_urls' },
      reads: { visit: readSimulatedVisit },
      changesLinks: true,
      apps: { read: 'links:read', write: 'links:write', writerColumns: ['id', 'link_id'] },
    },
    placements: {
      owner: { column: 'link_id', through: 'shortened_urls' },
      apps: { read: 'links:read', write: 'links:write', writerColumns: ['id', 'link_id', 'mark'] },
    },
    leads: {
      owner: { column: 'user_id' },
      keepsNoAnswers: true,
      apps: { read: 'leads:read', write: 'leads:write', writerColumns: ['id', 'tags'] },
      members: { read: 'leads:read', write: 'leads:write', ownersDelete: true },
    },
    tags: {
      owner: { column: 'user_id' },
      timeLimitMs: ofAllLinksMs,
      apps: { read: 'links:read', write: 'links:write', writerColumns: ['id', 'name'] },
    },
    domains: {
      owner: { column: 'user_id' },
      reads: {
        host: readHostOfDomain,
        root_url: readDomainTarget,
        missing_url: readDomainTarget,
      },
      apps: { read: 'links:read', write: 'domains:write', writerColumns: ['id', 'host'] },
      members: { read: 'links:read' },
    },
    day_notes: {
      owner: { column: 'user_id' },
      apps: { read: 'analytics:read' },
      members: { read: 'analytics:read', write: 'links:write', writerColumns: ['id'] },
    },
    utm_templates: {
      owner: { column: 'user_id' },
      apps: { read: 'links:read', write: 'links:write', writerColumns: ['id', 'name'] },
    },
    qr_looks: {
      owner: { column: 'user_id' },
      reads: { look: readLookOfQrCodes },
      apps: { read: 'links:read', write: 'links:write', writerColumns: ['id', 'name'] },
    },
    popups: {
      urls: { cta_url: 'optional-address', image_url: 'image' },
      owner: { column: 'user_id' },
      lookup: { by: 'id', key: uuid },
      timeLimitMs: ofAllLinksMs,
      apps: { read: 'popups:read', write: 'popups:write', writerColumns: ['id'] },
    },
    bio_pages: {
      owner: { column: 'user_id' },
      lookup: { by: 'slug', key: code },
      claims: 'slug',
      nameKey: 'slug',
      apps: { read: 'bio:read', write: 'bio:write', writerColumns: ['id', 'slug', 'domain'] },
    },
    bio_links: {
      urls: { url: 'optional-address' },
      owner: { column: 'bio_page_id', through: 'bio_pages' },
      lookup: { by: 'bio_page_id', key: uuid },
      apps: bioEntries,
    },
    bio_social_links: {
      urls: { url: 'social' },
      owner: { column: 'bio_page_id', through: 'bio_pages' },
      lookup: { by: 'bio_page_id', key: uuid },
      apps: bioEntries,
    },
    affiliate_codes: { owner: { column: 'user_id' } },
    commissions: { owner: { column: 'affiliate_user_id' } },
  },
  functions: {
    search_links: { apps: ['links:read'] },
    list_links: { apps: ['links:read'] },
    link_kinds: { apps: ['links:read'] },
    link_history: { members: ['links:read'] },
    missed_codes: { apps: ['links:read'] },
    link_health: { apps: ['links:read'] },
    destination_check: { apps: ['links:read'] },
    check_destination: { apps: ['links:write'] },
    check_domain: { apps: ['links:read'] },
    rename_link: { guesses: true, apps: ['links:write', 'links:read'], appsNeedAll: true },
    release_alias: { apps: ['links:write'] },
    tag_leads: { changes: '_ids', apps: ['leads:write', 'leads:read'], appsNeedAll: true },
    erase_lead: { apps: ['leads:write'], members: 'owners' },
    audience: { apps: ['leads:read'] },
    save_audience: { apps: ['leads:write'], members: 'owners' },
    popup_uses: { apps: ['popups:read'] },
    admin_delete_user: { timeLimitMs: accountDeletionMs },
    free_code: { guesses: true, members: ['links:write'] },
    suggest_codes: { guesses: true, members: ['links:write'] },
    can_create_url: { isOfDomains: true, apps: ['links:read', 'links:write'] },
    create_links: {
      bulk: { argument: '_links', relation: 'shortened_urls' },
      changesLinks: true,
      isOfDomains: true,
      maxBytes: 1_048_576,
      timeLimitMs: ofAllLinksMs,
      apps: ['links:write'],
    },
    create_placements: { maxBytes: 524_288, apps: ['links:write'] },
    link_rules: { apps: ['links:read'] },
    save_link_rules: {
      reads: { _rules: readLinkRules },
      changesLinks: true,
      maxBytes: 262_144,
      apps: ['links:write'],
    },
    simulate_visit: { reads: { _visit: readSimulatedVisit }, apps: ['links:read'] },
    count_visit: { visits: 'short_code', members: 'everyone' },
    increment_bio_visit: { visits: 'slug', members: 'everyone' },
    increment_url_usage: { members: ['links:write'] },
    increment_qr_usage: { members: ['links:read'] },
    session_facts: { members: 'everyone' },
    needs_admin: { members: 'everyone' },
    create_space: { members: 'everyone' },
    update_space: { apps: ['members:write'], members: 'owners' },
    delete_space: { timeLimitMs: accountDeletionMs, members: 'owners' },
    create_invitation: { keepsNoAnswers: true, apps: ['members:write'], members: 'owners' },
    renew_invitation: { keepsNoAnswers: true, apps: ['members:write'], members: 'owners' },
    revoke_invitation: { apps: ['members:write'], members: 'owners' },
    set_member_role: { apps: ['members:write'], members: 'owners' },
    remove_member: { apps: ['members:write'], members: 'owners' },
    read_invitation: { members: 'everyone' },
    accept_invitation: { members: 'everyone' },
    leave_space: { members: 'everyone' },
    preview_move: { maxBytes: moveBytes, apps: ['links:write'] },
    move_links: { maxBytes: moveBytes, timeLimitMs: ofAllLinksMs, apps: ['links:write'] },
    click_report: { apps: ['analytics:read'] },
    click_hits: { apps: ['analytics:read'] },
    click_integrity: { apps: ['analytics:read'] },
    click_trends: { apps: ['analytics:read'] },
    popup_report: { apps: ['analytics:read'] },
    split_report: { apps: ['analytics:read'] },
    save_bio_page: {
      claims: true,
      apps: ['bio:write', 'bio:read'],
      appsNeedAll: true,
      rowsOf: {
        links: { relation: 'bio_links', needed: ['title', 'url'] },
        social_links: { relation: 'bio_social_links', needed: ['platform', 'url'] },
      },
    },
  },
}
