import type { ApiRole } from './exposure.ts'
import type { ApiFunction } from './functions.ts'

const admins: readonly ApiRole[] = ['authenticated', 'service_role']

const kindAndValue = [
  { name: '_kind', type: 'text' },
  { name: '_value', type: 'text' },
]
const cursor = [
  { name: '_before_created_at', type: 'timestamp with time zone', optional: true },
  { name: '_before_id', type: 'uuid', optional: true },
  { name: '_limit', type: 'integer', optional: true },
] as const

function reads(args: ApiFunction['args']): ApiFunction {
  return { args, returns: 'value', stable: true, roles: admins }
}

function changes(args: ApiFunction['args']): ApiFunction {
  return { args, returns: 'void', stable: false, roles: admins }
}

/**
 * What admins call (migration 0011). The database itself asks whether the caller is one, and writes each change into
 * the audit log; anybody else who is signed in gets 42501.
 */
export const adminFunctions: [string, ApiFunction][] = [
  [
    'admin_users',
    reads([
      { name: '_search', type: 'text', optional: true },
      { name: '_sort', type: 'text', optional: true },
      { name: '_descending', type: 'boolean', optional: true },
      { name: '_limit', type: 'integer', optional: true },
      { name: '_offset', type: 'integer', optional: true },
    ]),
  ],
  [
    'admin_update_user',
    changes([
      { name: '_user_id', type: 'uuid' },
      { name: '_display_name', type: 'text' },
      { name: '_role', type: 'text' },
      { name: '_plan_type', type: 'text' },
    ]),
  ],
  ['admin_delete_user', changes([{ name: '_user_id', type: 'uuid' }])],
  [
    'admin_find_links',
    reads([{ name: '_by', type: 'text' }, { name: '_value', type: 'text' }, ...cursor]),
  ],
  ['admin_block', changes([...kindAndValue, { name: '_reason', type: 'text', optional: true }])],
  ['admin_unblock', changes(kindAndValue)],
  ['admin_blocks', reads([])],
  ['admin_reports', reads([{ name: '_state', type: 'text', optional: true }, ...cursor])],
  [
    'admin_decide_report',
    changes([
      { name: '_id', type: 'uuid' },
      { name: '_uphold', type: 'boolean' },
    ]),
  ],
  [
    'admin_audit',
    reads([
      { name: '_before_id', type: 'bigint', optional: true },
      { name: '_limit', type: 'integer', optional: true },
      { name: '_search', type: 'text', optional: true },
    ]),
  ],
]
