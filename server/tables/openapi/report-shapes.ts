import * as z from 'zod'
import { popupActions } from '#domain/popups/popup-actions.ts'
import {
  clickDimensions,
  reportGroups,
  hitFacts,
  reportPeriods,
  reportScopes,
  reportVerdicts,
} from '#domain/reports/hits.ts'
import { calendarDay, count, instant, nullableText, type ProcedureShapes } from './shapes.ts'

const scope = z.enum(reportScopes)
const included = z.array(z.enum(['repeats', 'own', 'bots', 'imported']))
const includedOfPopup = z.array(z.enum(['repeats', 'own']))
const filters = z.partialRecord(
  z.enum([...clickDimensions, ...reportGroups]),
  z.array(z.string()).max(100),
)
const countsOf = <Word extends string>(words: readonly Word[]) => z.record(z.enum(words), count)

const target = z.object({ key: z.string(), clicks: count })
/** Reports about clicks (docs/analytics.md). */
export const reportShapes: ProcedureShapes = {
  click_report: {
    args: {
      _scope: scope,
      _by: z.enum([...reportPeriods, ...clickDimensions, ...reportGroups]),
      _filters: filters,
      _include: included,
    },
    result: z.object({
      by: z.string(),
      from: instant,
      to: instant,
      time_zone: z.string(),
      clicks: count,
      visitors: count.optional(),
      returning: count.optional(),
      rows: z.array(
        target.extend({
          visitors: count.optional(),
          label: nullableText.optional(),
          code: z.string().optional(),
          title: z.string().optional(),
          kind: z.string().optional(),
        }),
      ),
      rest: count,
      sampled: count.nullable(),
    }),
  },
  click_hits: {
    args: { _scope: scope, _filters: filters, _include: included },
    result: z.array(
      z.object({
        cursor: z.string(),
        at: instant,
        kind: z.string(),
        target: z.uuid(),
        label: nullableText,
        verdict: z.enum(reportVerdicts),
        bot: z.string(),
        utm: z.record(z.string(), z.string()),
        ...(Object.fromEntries(hitFacts.map((fact) => [fact, z.string()])) as Record<
          (typeof hitFacts)[number],
          z.ZodString
        >),
      }),
    ),
  },
  click_integrity: {
    args: { _scope: scope },
    result: z.object({
      received: count,
      counted: count,
      filtered: count,
      by_verdict: z.record(z.string(), count),
      kept_since: calendarDay.nullable(),
      last_applied_at: instant.nullable(),
      replays: count,
      incidents: z.array(
        z.object({ at: instant, kind: z.string(), seconds: z.number().nullable() }),
      ),
    }),
  },
  click_trends: {
    args: { _kind: z.enum(['link', 'bio', 'bio_link', 'popup']) },
    result: z.array(z.object({ id: z.uuid(), days: z.array(count), before: count })),
  },
  popup_report: {
    args: { _include: includedOfPopup },
    result: z.object({
      from: instant,
      to: instant,
      time_zone: z.string(),
      actions: countsOf(popupActions),
      people: countsOf(popupActions),
      series: z.array(z.object({ key: instant, shown: count, clicked: count, emailed: count })),
      surfaces: z.array(
        z.object({
          kind: z.string(),
          id: z.uuid(),
          label: nullableText,
          actions: z.partialRecord(z.enum(popupActions), count),
        }),
      ),
      more_surfaces: count,
      served: count.nullable(),
    }),
  },
  split_report: {
    result: z.object({
      splits: z.array(
        z.object({
          rule_id: z.string(),
          variants: z.array(
            z.object({
              variant_id: z.string(),
              clicks: count,
              visitors: count,
              converted: count.nullable(),
              chance: z.number().nullable(),
            }),
          ),
          best: nullableText,
          words: z.string(),
        }),
      ),
    }),
  },
  missed_codes: {
    result: z.array(
      z.object({ code: z.string(), day: calendarDay, visits: count, is_free: z.boolean() }),
    ),
  },
  click_mails: {
    result: z.object({
      milestones: z.boolean(),
      weekly: z.boolean(),
      health: z.boolean().nullable(),
    }),
  },
}
