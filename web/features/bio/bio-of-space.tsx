import { ExternalLink } from 'lucide-react'
import type { SavedBioPage } from '#web/api/database.ts'
import { shownLink } from '#web/shown-link.ts'
import { shortLinkUrl } from '#web/site.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { bioDraftOf, nameOfPage } from './bio-draft.ts'
import { BioLivePreview } from './bio-live-preview.tsx'
import { CopyAddress } from './copy-address.tsx'

const numbers = new Intl.NumberFormat('en-US')

/** The bio page of a space for members who do not edit it. */
export function BioOfSpace({ page }: { page: SavedBioPage | null }) {
  if (page === null)
    return (
      <Screen title="Bio Link">
        <StatePanel title="No bio page yet">An editor of the space can build one.</StatePanel>
      </Screen>
    )
  const { visit_count: visits } = page.page
  const name = nameOfPage(page.page)
  return (
    <Screen title="Bio Link">
      <div className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-2.5">
        <p className="min-w-0 font-mono wrap-anywhere">{shownLink(name)}</p>
        <CopyAddress name={name} />
        <a
          href={shortLinkUrl(name)}
          target="_blank"
          rel="noopener"
          className={buttonClass('plain', 'small')}
        >
          <ExternalLink size={16} aria-hidden />
          Open
        </a>
        {visits === null ? null : (
          <p className="text-sm text-ink-soft tabular-nums">
            {numbers.format(visits)} {visits === 1 ? 'visit' : 'visits'}
          </p>
        )}
      </div>
      <BioLivePreview draft={bioDraftOf(page)} marked={false} />
    </Screen>
  )
}
