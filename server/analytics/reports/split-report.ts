import type { SplitResult } from '#domain/reports/report-answers.ts'
import { betterVariant } from '#domain/visits/better-variant.ts'
import type { ReportReader } from './hit-reader.ts'
import type { VariantsQuestion } from './question.ts'

/** Question of `api.split_report` (database/code/22_rules.sql): the splits that the rules of a link have now. */
export interface SplitReportQuestion extends Omit<VariantsQuestion, 'popup'> {
  splits: readonly { rule_id: string; variants: readonly string[] }[]
  /** The number of the link's popup; null without one. */
  popup: number | null
}

/** Clicks and popup conversions of each variant, and which one is probably better, as docs/analytics.md describes it. */
export async function splitReport(
  { splits, popup, ...question }: SplitReportQuestion,
  reader: ReportReader,
): Promise<{ splits: SplitResult[] }> {
  const found = splits.length === 0 ? [] : await reader.variants({ ...question, popup: popup ?? 0 })
  return {
    splits: splits.map(({ rule_id: rule, variants }) => {
      const rows = variants.map((variant) => {
        const row = found.find((each) => each.rule === rule && each.variant === variant)
        const { clicks = 0, shown = 0, converted = 0 } = row ?? {}
        return { variant_id: variant, clicks, visitors: shown, shown, converted }
      })
      const { best, chances, words } = betterVariant(rows)
      const compared = popup !== null
      return {
        rule_id: rule,
        variants: rows.map(({ variant_id, clicks, visitors, converted }, index) => ({
          variant_id,
          clicks,
          visitors,
          converted: compared ? converted : null,
          chance: compared ? (chances[index] ?? null) : null,
        })),
        best: compared && best !== undefined ? (variants[best] ?? null) : null,
        words: compared ? words : 'Without a popup, only clicks can be compared',
      }
    }),
  }
}
