import { connectionTexts } from '#domain/account-texts.ts'
import type { LinkRow } from '#web/database.ts'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { useLazyPart } from '#web/ui/use-lazy-part.ts'

const loadRuleCards = async () => (await import('./rule-cards.tsx')).RuleCards

interface LazyRuleCardsProps {
  link: LinkRow
  userId: string
}

/** Rules, simulator and expectations of a link; their script comes after the rest of the page. */
export function LazyRuleCards(props: LazyRuleCardsProps) {
  const { Part: RuleCards, hasFailed, retry } = useLazyPart(true, loadRuleCards)
  if (RuleCards !== undefined) return <RuleCards {...props} />
  if (hasFailed) return <FailedLine retry={retry}>{connectionTexts.partFailed}</FailedLine>
  return <div aria-hidden className="h-28 animate-pulse rounded-2xl bg-sunken" />
}
