import * as z from 'zod'
import { type Plan, plans } from '#domain/plans.ts'
import type { Context } from '../context.ts'
import { valueAs } from '../postgres/rows.ts'

/** Answer of `api.preview_move` (database/code/31_link_moves.sql). */
const preview = z.looseObject({
  question: z.object({
    ids: z.array(z.uuid()),
    from_plan: z.enum(plans),
    to_plan: z.enum(plans),
  }),
})

const dayMs = 86_400_000

/** Preview of a move of links, with those that were visited before the first day that the other account keeps. */
export function movePreview({
  config: { clickRetentionDays },
  database,
}: Pick<Context, 'config' | 'database'>) {
  return async (answer: unknown) => {
    const {
      question: { ids, from_plan: from, to_plan: to },
      ...facts
    } = preview.parse(answer)
    return { ...facts, older_clicks: await olderClicks(ids, from, to) }
  }

  async function olderClicks(ids: string[], from: Plan, to: Plan) {
    const keptDays = clickRetentionDays[to]
    if (keptDays >= clickRetentionDays[from]) return null
    const before = new Date(Date.now() - keptDays * dayMs).toISOString().slice(0, 10)
    const links = await valueAs<number>(
      database,
      { role: 'hoplet_worker', readOnly: true },
      'select app.links_clicked_before($1, $2)',
      [ids, before],
    )
    return { kept_days: keptDays, before, links: links ?? 0 }
  }
}
