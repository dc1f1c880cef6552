import { useState } from 'react'
import { useSession } from '#web/session/session.ts'
import { useTitle } from '#web/ui/use-title.ts'
import { FeatureCards } from './feature-cards.tsx'
import type { LinkRow } from '#web/database.ts'
import { ResultCard } from './result-card.tsx'
import { ShortenerForm } from './shortener-form.tsx'
import { UsageCard } from './usage-card.tsx'

export function HomeScreen() {
  useTitle('Hoplet: Free URL Shortener & QR Generator')
  const session = useSession()
  const [created, setCreated] = useState<{ link: LinkRow; userId: string }>()
  return (
    <div className="mx-auto w-full max-w-5xl px-4 pb-20 sm:px-6">
      <section className="relative pt-14 pb-10 sm:pt-24 sm:pb-12">
        <HopTrail />
        <p className="inline-block rounded-full border border-line bg-surface px-3.5 py-1.5 text-sm text-ink-soft">
          Free URL Shortener & QR Generator
        </p>
        <h1 className="mt-6 max-w-3xl text-[2.6rem] leading-[1.04] font-semibold tracking-[-0.04em] text-balance sm:text-6xl">
          Shorten your URLs instantly and create beautiful QR codes
        </h1>
      </section>
      <div className="grid grid-cols-1 gap-4">
        <ShortenerForm onCreated={(link, userId) => setCreated({ link, userId })} />
        {session.status === 'signed-in' ? (
          <>
            {created?.userId === session.userId ? (
              <ResultCard key={created.link.id} link={created.link} userId={session.userId} />
            ) : null}
            <UsageCard userId={session.userId} />
          </>
        ) : null}
      </div>
      <div className="mt-16 sm:mt-24">
        <FeatureCards />
      </div>
    </div>
  )
}

/** A long way made of small hops, ending where the form begins. */
function HopTrail() {
  return (
    <svg
      viewBox="0 0 360 150"
      fill="none"
      aria-hidden
      className="absolute right-0 bottom-2 hidden w-[19rem] text-line lg:block"
    >
      <g stroke="currentColor" strokeWidth="3" strokeLinecap="round">
        <path d="M14 118C34 -28 158 -28 178 118" />
        <path d="M178 118C192 26 266 26 280 118" />
        <path d="M280 118C288 66 326 66 334 112" />
      </g>
      <g fill="currentColor">
        <circle cx="14" cy="136" r="7" />
        <circle cx="178" cy="136" r="7" />
        <circle cx="280" cy="136" r="7" />
      </g>
      <circle cx="336" cy="136" r="9" fill="var(--accent)" />
    </svg>
  )
}
