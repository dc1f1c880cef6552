import { expect, it } from 'vitest'
import { auditChanges } from '#web/features/admin/audit/audit-changes.ts'

it('the audit log names changed facts of an act, and no unchanged ones', () => {
  const before = { role: 'user', plan: 'free', email: 'ada@example.com' }
  expect(auditChanges(before, { role: 'admin', plan: 'free' })).toEqual([
    { name: 'role', before: 'user', after: 'admin' },
  ])
})

it('the audit log shows a fact that went, which is null afterwards', () => {
  expect(auditChanges({ display_name: 'Ada' }, { display_name: null })).toEqual([
    { name: 'display name', before: 'Ada', after: null },
  ])
})

it('the audit log shows all facts of a made or deleted row', () => {
  expect(auditChanges(null, { amount_cents: 175 })).toEqual([
    { name: 'amount', before: null, after: '$1.75' },
  ])
  expect(auditChanges({ email: 'ada@example.com' }, null)).toEqual([
    { name: 'email', before: 'ada@example.com', after: null },
  ])
})
