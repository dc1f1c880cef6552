import { expect, it } from 'vitest'
import { auditSentence } from '#web/features/admin/audit/audit-sentence.ts'
import type { AuditRow } from '#web/api/database-admin.ts'

const id = '4f5e2c1a-0000-4000-8000-000000000001'

function sentenceOf(part: Partial<AuditRow>): string {
  const { verb, subject, rest } = auditSentence({
    id: 1,
    at: '2026-11-28T10:00:00Z',
    actor_role: 'authenticated',
    actor_email: 'admin@example.com',
    action: 'user.update',
    target_kind: 'user',
    target_id: id,
    target_email: null,
    before: null,
    after: null,
    request_id: null,
    ...part,
  })
  return `${verb} ${subject}${rest}`
}

it.each<[string, Partial<AuditRow>]>([
  [
    'changed the plan of ada@example.com: free → pro',
    {
      action: 'plan.change',
      target_email: 'ada@example.com',
      before: { plan_type: 'free' },
      after: { plan_type: 'pro' },
    },
  ],
  [
    'changed the role of ada@example.com: user → admin, by a claim of acme',
    {
      action: 'role.claim',
      target_email: 'ada@example.com',
      before: { role: 'user' },
      after: { role: 'admin', provider: 'acme' },
    },
  ],
  [
    'could not change the role of ada@example.com: admin → user, by a claim of acme (The last admin cannot be removed or demoted.)',
    {
      action: 'role.claim_refused',
      target_email: 'ada@example.com',
      before: { role: 'admin' },
      after: {
        role: 'user',
        provider: 'acme',
        refusal: 'The last admin cannot be removed or demoted.',
      },
    },
  ],
  [
    'deleted the account of ada@example.com',
    { action: 'user.delete', before: { email: 'ada@example.com' } },
  ],
  [
    'blocked /parcel-fee: Reported: phishing',
    {
      action: 'block',
      target_kind: 'link',
      target_id: 'parcel-fee',
      after: { reason: 'Reported: phishing' },
    },
  ],
  [
    'dismissed a report about /parcel-fee: spam',
    {
      action: 'report.dismiss',
      target_kind: 'report',
      before: { state: 'open', name: 'parcel-fee', reason: 'spam' },
      after: { state: 'dismissed', blocked: false },
    },
  ],
  [
    'paid $1.75 to a deleted account',
    {
      action: 'payout.make',
      target_kind: 'affiliate',
      after: { payout_id: id, amount_cents: 175, reference: 'May' },
    },
  ],
  ['did “space.close” to a deleted account', { action: 'space.close' }],
])('one sentence without ids: %s', (sentence, row) => {
  expect(sentenceOf(row)).toBe(sentence)
})
