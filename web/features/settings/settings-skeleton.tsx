import { useState, type ReactNode } from 'react'
import type { SettingsTab } from '#domain/routes.ts'

/** The cards of each tab, as high as they usually are. */
const cards: Readonly<Record<SettingsTab, readonly string[]>> = {
  profile: ['h-64', 'h-72', 'h-80'],
  security: ['h-72', 'h-60', 'h-44', 'h-96'],
  domains: ['h-32', 'h-32'],
  apps: ['h-64'],
  'api-keys': ['h-64'],
  webhooks: ['h-64'],
  account: ['h-52', 'h-52'],
}

/** A tab while it loads. */
export function SettingsSkeleton({ tab }: { tab: SettingsTab }) {
  return (
    <>
      <output className="sr-only">Loading</output>
      {cards[tab].map((height, index) => (
        <div
          key={index}
          aria-hidden
          className={`mb-5 animate-pulse rounded-2xl border border-line bg-surface p-5 sm:p-7 ${height}`}
        >
          <div className="h-6 w-40 rounded-md bg-sunken" />
          <div className="mt-3 h-4 w-72 max-w-full rounded-md bg-sunken" />
        </div>
      ))}
    </>
  )
}

interface TabPartsProps {
  tab: SettingsTab
  /** Queries of the parts; each part reports its own failures. */
  queries: readonly { isPending: boolean }[]
  children: ReactNode
}

/** The parts of a tab, shown all at once, so that none is pushed down by another one that comes later. */
export function TabParts({ tab, queries, children }: TabPartsProps) {
  // A part that is tried again does not hide the others.
  const [isReady, setReady] = useState(false)
  if (!isReady && queries.every(({ isPending }) => !isPending)) setReady(true)
  return (
    <>
      {isReady ? null : <SettingsSkeleton tab={tab} />}
      <div hidden={!isReady}>{children}</div>
    </>
  )
}
