import { lazy, Suspense, useState } from 'react'
import { hasStoredSession, useSession } from '#web/session/session.ts'
import { site } from '#web/site.ts'
import { columnClass, Screen } from '#web/ui/screen.tsx'
import { useLazyPart } from '#web/ui/hooks/use-lazy-part.ts'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { FeatureCards } from './feature-cards.tsx'
import { HomeSteps } from './home-steps.tsx'
import { HomeTag } from './home-tag.tsx'
import { OwnMachine } from './own-machine.tsx'
import type { CreatedLink } from './result-card.tsx'
import { ShortenerForm } from './shortener-form.tsx'
import { UsageCard, UsageSkeleton } from './usage-card.tsx'
import { useShortener } from './use-shortener.ts'

// The form loads it before it makes a link; visitors, who cannot make one, never do.
const ResultCard = lazy(async () => ({ default: (await import('./result-card.tsx')).ResultCard }))

export function HomeScreen() {
  const tagline = site.hasPlans ? `Free ${offer}` : offer
  useTitle(`Hoplet: ${tagline}`)
  const session = useSession()
  const [created, setCreated] = useState<CreatedLink>()
  const isMember =
    session.status === 'signed-in' || (session.status === 'loading' && hasStoredSession())
  const shortener = useShortener(setCreated)
  const form = <ShortenerForm {...shortener} look={isMember ? 'ink' : 'accent'} />
  // A member comes for the form, and sees no greeting.
  if (isMember)
    return (
      <Screen title={heading} intro={tagline}>
        <div className="grid grid-cols-1 gap-4">
          {form}
          {session.status === 'signed-in' && created?.userId === session.userId ? (
            <Suspense>
              <ResultCard key={created.link.id} {...created} />
            </Suspense>
          ) : null}
          {!site.hasPlans ? null : session.status === 'signed-in' ? (
            <UsageCard userId={session.userId} />
          ) : (
            <UsageSkeleton />
          )}
          <LazyToday userId={session.status === 'signed-in' ? session.userId : undefined} />
        </div>
        <div className="mt-12">
          <FeatureCards />
        </div>
      </Screen>
    )
  return (
    <div className={`${columnClass} pb-20`}>
      <section className="grid items-center gap-x-10 pt-4 pb-5 sm:pt-16 sm:pb-10 lg:grid-cols-[minmax(0,1fr)_auto]">
        <div>
          <p className="inline-block rounded-full border border-line bg-surface px-3 py-0.5 text-xs text-ink-soft sm:px-3.5 sm:py-1.5 sm:text-sm">
            {tagline}
          </p>
          <h1 className="mt-2.5 max-w-2xl text-3xl leading-[1.08] font-semibold tracking-[-0.03em] text-balance sm:mt-6 sm:text-5xl sm:tracking-[-0.04em]">
            {heading}
          </h1>
        </div>
        <div className="max-lg:hidden">
          <HomeTag draft={shortener.draft} />
        </div>
      </section>
      {form}
      <div className="mt-8 lg:hidden">
        <HomeTag draft={shortener.draft} />
      </div>
      <div className="mt-8 grid grid-cols-1 gap-10 sm:mt-10 sm:gap-14">
        <OwnMachine />
        <HomeSteps />
        <FeatureCards />
      </div>
    </div>
  )
}

const heading = 'Shorten your URLs instantly and create beautiful QR codes'
/** Without plans nothing is sold, and nothing free. */
const offer = 'URL Shortener & QR Generator'

const loadToday = async () => (await import('../today/today.tsx')).Today

/** Its script comes once the account is known. Its place is there before, so that nothing below moves. */
function LazyToday({ userId }: { userId: string | undefined }) {
  const { Part: Today, hasFailed } = useLazyPart(userId !== undefined, loadToday)
  if (hasFailed) return null
  return (
    <div className="min-h-64">
      {Today === undefined || userId === undefined ? null : <Today userId={userId} />}
    </div>
  )
}
