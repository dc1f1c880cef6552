import type { LinkRow } from '#web/database.ts'
import { RulesCard } from './rules-card.tsx'

/** The cards about the rules of a link. */
export function RuleCards(props: { link: LinkRow; userId: string }) {
  return <RulesCard {...props} />
}
