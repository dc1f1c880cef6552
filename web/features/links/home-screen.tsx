import { lazy, Suspense, useState } from 'react'
import { hasStoredSession, useSession } from '#web/session/session.ts'
import { HopTrail } from '#web/ui/hop-trail.tsx'
import { columnClass, Screen } from '#web/ui/screen.tsx'
import { useTitle } from '#web/ui/use-title.ts'
import { FeatureCards } from './feature-cards.tsx'
import { ProofStrip } from './proof-strip.tsx'
import type { CreatedLink } from './result-card.tsx'
import { ShortenerForm } from './shortener-form.tsx'
import { UsageCard, UsageSkeleton } from './usage-card.tsx'

// The form loads it before it makes a link; visitors, who cannot make one, never do.
const ResultCard = lazy(async () => ({ default: (await import('./result-card.tsx')).ResultCard }))

export function HomeScreen() {
  useTitle('Hoplet: Free URL Shortener & QR Generator')
  const session = useSession()
  const [created, setCreated] = useState<CreatedLink>()
  const isMember =
    session.status === 'signed-in' || (session.status === 'loading' && hasStoredSession())
  const form = <ShortenerForm onCreated={setCreated} />
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
          {session.status === 'signed-in' ? (
            <UsageCard userId={session.userId} />
          ) : (
            <UsageSkeleton />
          )}
        </div>
        <div className="mt-12">
          <FeatureCards />
        </div>
      </Screen>
    )
  return (
    <div className={`${columnClass} pb-20`}>
      <section className="relative pt-8 pb-7 sm:pt-20 sm:pb-12">
        <HopTrail className="absolute right-0 bottom-2 hidden w-[19rem] text-line lg:block" />
        <p className="inline-block rounded-full border border-line bg-surface px-3.5 py-1.5 text-sm text-ink-soft max-sm:hidden">
          {tagline}
        </p>
        <h1 className="max-w-3xl text-3xl leading-[1.1] font-semibold tracking-[-0.03em] text-balance sm:mt-6 sm:text-5xl sm:tracking-[-0.04em]">
          {heading}
        </h1>
      </section>
      {form}
      <div className="mt-12 grid gap-12 sm:mt-16 sm:gap-16">
        <ProofStrip />
        <FeatureCards />
      </div>
    </div>
  )
}

const heading = 'Shorten your URLs instantly and create beautiful QR codes'
const tagline = 'Free URL Shortener & QR Generator'
