import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import type { ProcedureShapes } from './openapi/shapes.ts'

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
