import { SavedTestsCard } from '../rules/saved-tests-card.tsx'
import { SplitCard } from '../rules/split-card.tsx'
import { DestinationCard } from '../health/destination-card.tsx'
import { BehaviorCard, type BehaviorCardProps } from './behavior-card.tsx'

/** Results of the splits of a link, the state of its destination, its options, its tests. */
export function LinkBehavior(props: BehaviorCardProps) {
  const { link, userId } = props
  return (
    <>
      <SplitCard link={link} userId={userId} />
      <DestinationCard link={link} userId={userId} />
      <BehaviorCard {...props} />
      <SavedTestsCard link={link} />
    </>
  )
}
