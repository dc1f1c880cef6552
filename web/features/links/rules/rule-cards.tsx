import type { LinkRow } from '#web/api/database.ts'
import { ExpectationsCard } from './expectations-card.tsx'
import { RulesCard } from './rules-card.tsx'
import { SimulatorCard } from './simulator-card.tsx'

interface RuleCardsProps {
  link: LinkRow
  userId: string
}

/** The cards about the rules of a link. */
export function RuleCards({ link, userId }: RuleCardsProps) {
  return (
    <>
      <RulesCard link={link} userId={userId} />
      <SimulatorCard link={link} userId={userId} />
      <ExpectationsCard link={link} />
    </>
  )
}
