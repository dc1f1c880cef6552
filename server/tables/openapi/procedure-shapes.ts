import * as z from 'zod'
import { spaceRoles } from '#domain/access/space-roles.ts'
import { domainProblems, domainRecordTypes } from '#domain/domains/domain-problems.ts'
import { plans } from '#domain/plans.ts'
import { destinationFindings } from '#domain/links/destination-findings.ts'
import { linkMoveStates } from '#domain/links/link-moves.ts'
import { utmFields } from '#domain/reports/hits.ts'
import { ruleFacts } from '#domain/visits/condition-values.ts'
import { simulatedVisit } from '#domain/visits/simulated-visit.ts'
import { adminShapes } from './admin-shapes.ts'
import { reportShapes } from './report-shapes.ts'
import { cents, count, instant, nullableText, type ProcedureShapes } from './shapes.ts'

const condition = z.looseObject({
  fact: z.enum(ruleFacts as [(typeof ruleFacts)[number]]),
  is: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
  is_not: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
})
const rule = z.looseObject({
  id: z.string().optional(),
  when: z.array(condition).optional(),
  else: z.boolean().optional(),
})

const plan = z.enum(plans)
const spaceRole = z.enum(spaceRoles)
const invitationLink = z.url().describe('The link, which is shown this once')

const movedLinks = z.array(z.uuid()).min(1).max(10_000)
const counted = (what: string) =>
  z.object({ count, names: z.array(z.string()).describe('The first ten') }).describe(what)

const domain = z.object({
  id: count,
  user_id: z.uuid(),
  host: z.string(),
  is_verified: z.boolean(),
  has_certificate: z.boolean(),
  certificate_ends_at: instant.nullable(),
  is_probed: z.boolean(),
  problem: z.enum(domainProblems).nullable(),
  records: z.array(
    z.object({
      type: z.enum(domainRecordTypes),
      name: z.string(),
      value: z.string(),
      found: z.boolean(),
    }),
  ),
  root_url: nullableText,
  missing_url: nullableText,
  is_default: z.boolean(),
  link_count: count,
  checked_at: instant.nullable(),
  created_at: instant,
})

const spaces: ProcedureShapes = {
  create_space: { result: z.uuid() },
  create_invitation: { args: { _role: spaceRole }, result: invitationLink },
  renew_invitation: { result: invitationLink },
  read_invitation: {
    result: z
      .object({
        space: nullableText,
        role: spaceRole,
        email: nullableText,
        expires_at: instant,
      })
      .nullable(),
  },
  accept_invitation: {
    result: z.object({ id: z.uuid(), slug: z.string(), name: nullableText, role: spaceRole }),
  },
  set_member_role: { args: { _role: spaceRole } },
  preview_move: {
    args: { _links: movedLinks },
    result: z.object({
      links: count,
      to_name: nullableText,
      refusals: z
        .array(z.object({ hint: z.string(), message: z.string() }))
        .describe('Why move_links would refuse it now'),
      popups: counted('Links that show a popup, which they lose'),
      shared_reports: counted('Links with a shared report, which ends'),
      bio_entries: counted(
        'Entries of your bio page with one of the links: they stay, as plain addresses',
      ),
      external_ids: counted('External ids that the other account has: the links lose them'),
      new_tags: counted('Tags that are made in the other account'),
      older_clicks: z
        .object({ kept_days: count, before: z.iso.date(), links: count })
        .nullable()
        .describe(
          'Links with clicks before a day that the other account keeps no longer; null: it keeps as many days',
        ),
    }),
  },
  move_links: {
    args: { _links: movedLinks },
    result: z.object({
      id: z.uuid(),
      from_account: z.uuid(),
      to_account: z.uuid(),
      links: count,
      state: z.enum(linkMoveStates),
      hits: count,
      created_at: instant,
      finished_at: instant.nullable(),
    }),
  },
}

const finding = z.enum(destinationFindings)

const links: ProcedureShapes = {
  list_links: { args: { _sort: z.enum(['newest', 'oldest', 'code', 'clicks']) } },
  can_create_url: {
    result: z.object({
      canCreate: z.boolean(),
      limit: count,
      current: count,
      limitType: z.enum(['daily', 'lifetime']),
      plan,
      kind: z.enum(['custom', 'url']),
    }),
  },
  increment_qr_usage: {
    result: z.object({ allowed: z.boolean(), limit: count, current: count, plan }),
  },
  create_links: {
    args: { _links: z.array(z.record(z.string(), z.unknown())).max(1_000) },
    result: z.array(
      z.object({
        index: count,
        status: z.enum(['created', 'updated', 'failed']),
        link: z.looseObject({ id: z.uuid(), short_code: z.string() }).optional(),
        error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
      }),
    ),
  },
  create_placements: {
    args: {
      _names: z.array(z.string().max(80)).min(1).max(1_000),
      _utm: z.partialRecord(z.enum(utmFields), z.string().max(100)).nullable().optional(),
    },
  },
  link_history: {
    result: z.array(
      z.object({
        changed_at: instant,
        changed_by: z.uuid().nullable(),
        changed_by_name: z.string().nullable(),
        from_url: z.string(),
        to_url: z.string(),
        moved: z
          .object({
            from: z.uuid().nullable(),
            to: z.uuid(),
            from_name: nullableText,
            to_name: nullableText,
          })
          .nullable()
          .describe('The accounts, when the link moved to another one'),
      }),
    ),
  },
  link_kinds: {
    result: z.object({
      off: z.boolean(),
      blocked: z.boolean(),
      archived: z.boolean(),
      findings: z.boolean(),
    }),
  },
  link_health: {
    args: { _finding: finding },
    result: z.object({
      counts: z.object({ dead: count, moved: count, certificate: count }),
      links: z.array(
        z.object({
          id: z.uuid(),
          short_code: z.string(),
          title: nullableText,
          original_url: z.string(),
          finding,
          reason: nullableText,
          since: instant,
          checked_at: instant,
          new_url: nullableText,
        }),
      ),
    }),
  },
  destination_check: {
    result: z
      .object({
        checked_at: instant,
        finding: finding.nullable(),
        reason: nullableText,
        since: instant.nullable(),
        new_url: nullableText,
        is_asked: z.boolean(),
      })
      .nullable(),
  },
  link_rules: { result: z.object({ version: count, rules: z.array(rule) }).nullable() },
  save_link_rules: { args: { _rules: z.array(rule) }, result: count },
  check_domain: { result: domain },
  free_code: { result: nullableText },
  suggest_codes: { result: z.array(z.string()) },
  count_visit: { result: z.boolean() },
  simulate_visit: {
    args: { _visit: z.object(simulatedVisit.shape) },
    result: z.object({
      outcome: z.string(),
      address: nullableText,
      status: z.int().nullable(),
      popup_id: z.uuid().nullable(),
      rule_id: nullableText,
      variant_id: nullableText,
      skipped: z.array(z.object({ rule_id: z.string(), condition: z.int(), why: z.string() })),
    }),
  },
}

const pages: ProcedureShapes = {
  popup_uses: {
    args: { _popup_ids: z.array(z.uuid()) },
    result: z.array(z.object({ popup_id: z.uuid(), links: count, bio_page: z.boolean() })),
  },
  save_bio_page: {
    args: {
      page: z.record(z.string(), z.unknown()),
      links: z.array(z.record(z.string(), z.unknown())).max(100),
      social_links: z.array(z.record(z.string(), z.unknown())).max(50),
    },
    result: z.object({
      page: z.looseObject({ id: z.uuid(), slug: z.string(), version: z.string() }),
      links: z.array(z.looseObject({ id: z.uuid(), title: z.string(), url: z.string() })),
      social_links: z.array(z.looseObject({ id: z.uuid(), platform: z.string(), url: z.string() })),
    }),
  },
  audience: {
    result: z.object({
      leads: count,
      bytes: count,
      max_leads: count,
      max_bytes: count,
      left_out: count,
      left_out_at: instant.nullable(),
      retention_days: count.nullable(),
      double_opt_in: z.boolean(),
      tags: z.array(z.string()),
    }),
  },
  tag_leads: {
    args: {
      _ids: z.array(z.uuid()).max(1_000),
      _add: z.array(z.string()).max(100),
      _remove: z.array(z.string()).max(100),
    },
    result: count,
  },
  erase_lead: { result: count },
  needs_admin: { result: z.boolean() },
  session_facts: {
    result: z.object({
      plan_type: plan,
      role: z.enum(['user', 'admin']),
      claims: z.object({ provider: z.string(), are_due: z.boolean() }).nullable(),
      time_zone: nullableText,
      member_role: spaceRole,
    }),
  },
}

const commission = z.object({
  id: z.uuid(),
  created_at: instant,
  amount_cents: cents,
  tier: z.union([z.literal(1), z.literal(2)]),
  status: z.enum(['pending', 'paid', 'held', 'canceled']),
  kind: z.enum(['earned', 'refund', 'refund_undone', 'dispute', 'dispute_won']),
  rate_percent: z.number(),
  base_cents: cents,
  due_at: instant,
  is_due: z.boolean(),
  is_play_money: z.boolean(),
  sign_up_number: count.nullable(),
  sign_up_month: nullableText,
  invoice_ref: z.string(),
})

const affiliates: ProcedureShapes = {
  affiliate_summary: {
    result: z.object({
      pending_cents: cents,
      due_cents: cents,
      paid_cents: cents,
      held_cents: cents,
      next_due_at: instant.nullable(),
      next_due_cents: cents.nullable(),
      months: z.array(
        z.object({
          month: z.string(),
          earned_cents: cents,
          reversed_cents: cents,
          sign_ups: count,
        }),
      ),
    }),
  },
  commission_lines: { result: z.array(commission) },
  track_referral: { result: z.boolean() },
}

/** Shapes of the procedures of the schema `api`, by name. A test holds them against the answers. */
export const procedureShapes: ProcedureShapes = {
  ...links,
  ...pages,
  ...affiliates,
  ...spaces,
  ...reportShapes,
  ...adminShapes,
}
