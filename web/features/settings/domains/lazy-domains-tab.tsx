import { lazyPart } from '#web/app/lazy-part.tsx'
import { SettingsSkeleton } from '../settings-skeleton.tsx'

/** The tab of domains; its script comes when it is first opened. */
export const LazyDomainsTab = lazyPart(
  async () => (await import('./domains-tab.tsx')).DomainsTab,
  <SettingsSkeleton tab="domains" />,
)
