import * as z from 'zod'
import { plans } from '#domain/plans.ts'
import { calendarDay, cents, count, instant, nullableText, type ProcedureShapes } from './shapes.ts'

const blockKind = z.enum(['link', 'host', 'user'])
const foundLink = {
  id: z.uuid(),
  short_code: z.string(),
  original_url: z.string(),
  title: nullableText,
  user_id: z.uuid(),
  email: nullableText,
  created_at: instant,
  click_count: count,
  blocked: blockKind.nullable(),
}
const latestLinks = z.array(z.object({ ...foundLink, recent_clicks: count.nullable() }))
const anything = z.record(z.string(), z.unknown()).nullable()

export const adminShapes: ProcedureShapes = {
  admin_activity: {
    result: z.array(z.object({ day: calendarDay, sign_ups: count, links: count, clicks: count })),
  },
  admin_audit: {
    result: z.array(
      z.looseObject({
        id: z.int(),
        at: instant,
        action: z.string(),
        target_kind: z.string(),
        target_id: z.string(),
        before: anything,
        after: anything,
      }),
    ),
  },
  admin_block: { args: { _kind: blockKind } },
  admin_blocks: {
    result: z.array(
      z.object({
        kind: z.enum(['link', 'host', 'user', 'ban']),
        value: z.string(),
        reason: nullableText,
        created_at: instant,
        created_by: z.uuid().nullable(),
        created_by_email: nullableText,
        email: nullableText,
        hides_published: z.boolean(),
        ends_at: instant.nullable(),
      }),
    ),
  },
  admin_find_links: {
    args: { _by: z.enum(['code', 'host', 'user']) },
    result: z.array(z.object(foundLink)),
  },
  admin_held_commissions: {
    result: z.array(z.looseObject({ id: z.uuid(), amount_cents: cents, created_at: instant })),
  },
  admin_latest_links: { result: z.object({ newest: latestLinks, busiest: latestLinks }) },
  admin_make_payout: { result: z.object({ id: z.uuid(), amount_cents: cents }).nullable() },
  admin_payouts: {
    result: z.array(z.looseObject({ id: z.uuid(), amount_cents: cents, created_at: instant })),
  },
  admin_payouts_due: {
    result: z.array(z.looseObject({ affiliate_user_id: z.uuid(), due_cents: cents })),
  },
  admin_reports: {
    args: { _state: z.enum(['open', 'upheld', 'dismissed']) },
    result: z.array(z.looseObject({ id: z.uuid(), name: z.string(), state: z.string() })),
  },
  admin_unblock: { args: { _kind: z.enum(['link', 'host', 'user', 'ban']) } },
  admin_update_user: { args: { _role: z.enum(['user', 'admin']), _plan_type: z.enum(plans) } },
  admin_users: {
    args: { _sort: z.enum(['email', 'display_name', 'created_at', 'role', 'plan_type']) },
    result: z.object({
      total: count,
      matching: count,
      more: z.boolean(),
      rows: z.array(
        z.object({
          id: z.uuid(),
          email: nullableText,
          display_name: nullableText,
          role: z.enum(['user', 'admin']),
          plan_type: z.enum(plans),
          created_at: instant,
          /** Owners of a space; null for a person. */
          owners: z.array(z.string()).nullable(),
        }),
      ),
    }),
  },
}
