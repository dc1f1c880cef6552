import { adminFunctions } from './admin-functions.ts'
import type { ApiRole } from './exposure.ts'

interface FunctionArgument {
  name: string
  type: string
  optional?: true
  /** A list of rows as this relation holds them: their addresses are checked as in a write to it. */
  rowsOf?: string
}

/** A function of the schema `api`, as `/rest/v1/rpc/{name}` calls it. A test compares the list with the catalogue. */
export interface ApiFunction {
  /** In order; `optional` arguments have a default in the database. */
  args: readonly FunctionArgument[]
  /** `rows` of the relation named, one JSON value, or nothing (204). */
  returns: 'void' | 'value' | { rows: string }
  /** May be called with GET, in a read-only transaction. */
  stable: boolean
  roles: readonly ApiRole[]
}

const people: readonly ApiRole[] = ['authenticated', 'service_role']
const accountHolders: readonly ApiRole[] = ['authenticated']
const everybody: readonly ApiRole[] = ['anon', 'authenticated', 'service_role']

/** Every callable function by name (specification §7, and `search_links`, `count_visit`, `save_bio_page`, affiliates and admin of this server). */
export const callable: ReadonlyMap<string, ApiFunction> = new Map<string, ApiFunction>([
  [
    'can_create_url',
    {
      args: [
        { name: '_user_id', type: 'uuid' },
        { name: '_is_custom', type: 'boolean', optional: true },
      ],
      returns: 'value',
      stable: true,
      roles: people,
    },
  ],
  [
    'increment_url_usage',
    {
      args: [
        { name: '_user_id', type: 'uuid' },
        { name: '_is_custom', type: 'boolean', optional: true },
      ],
      returns: 'void',
      stable: false,
      roles: people,
    },
  ],
  [
    'increment_qr_usage',
    { args: [{ name: '_user_id', type: 'uuid' }], returns: 'value', stable: false, roles: people },
  ],
  [
    'track_referral',
    {
      args: [
        { name: '_referred_user_id', type: 'uuid' },
        { name: '_referrer_code', type: 'text' },
      ],
      returns: 'value',
      stable: false,
      roles: people,
    },
  ],
  [
    'increment_bio_visit',
    { args: [{ name: 'slug', type: 'text' }], returns: 'void', stable: false, roles: everybody },
  ],
  [
    'count_visit',
    {
      args: [{ name: 'short_code', type: 'text' }],
      returns: 'value',
      stable: false,
      roles: everybody,
    },
  ],
  [
    'search_links',
    {
      args: [
        { name: '_query', type: 'text' },
        { name: '_before_created_at', type: 'timestamp with time zone', optional: true },
        { name: '_before_id', type: 'uuid', optional: true },
        { name: '_limit', type: 'integer', optional: true },
      ],
      returns: { rows: 'shortened_urls' },
      stable: true,
      roles: people,
    },
  ],
  [
    'save_bio_page',
    {
      args: [
        { name: 'page', type: 'jsonb' },
        { name: 'links', type: 'jsonb', optional: true, rowsOf: 'bio_links' },
        { name: 'social_links', type: 'jsonb', optional: true, rowsOf: 'bio_social_links' },
      ],
      returns: 'value',
      stable: false,
      roles: accountHolders,
    },
  ],
  ['affiliate_summary', { args: [], returns: 'value', stable: true, roles: accountHolders }],
  [
    'commission_lines',
    {
      args: [
        { name: '_before_created_at', type: 'timestamp with time zone', optional: true },
        { name: '_before_id', type: 'uuid', optional: true },
        { name: '_limit', type: 'integer', optional: true },
      ],
      returns: 'value',
      stable: true,
      roles: accountHolders,
    },
  ],
  ['admin_payouts_due', { args: [], returns: 'value', stable: true, roles: people }],
  [
    'admin_make_payout',
    {
      args: [
        { name: '_affiliate', type: 'uuid' },
        { name: '_reference', type: 'text', optional: true },
      ],
      returns: 'value',
      stable: false,
      roles: people,
    },
  ],
  [
    'admin_payouts',
    {
      args: [{ name: '_limit', type: 'integer', optional: true }],
      returns: 'value',
      stable: true,
      roles: people,
    },
  ],
  ['admin_held_commissions', { args: [], returns: 'value', stable: true, roles: people }],
  [
    'admin_decide_held',
    {
      args: [
        { name: '_id', type: 'uuid' },
        { name: '_release', type: 'boolean' },
      ],
      returns: 'void',
      stable: false,
      roles: people,
    },
  ],
  ...adminFunctions,
])
