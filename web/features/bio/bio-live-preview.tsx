import { useDeferredValue } from 'react'
import { BioPagePreview } from '#public-pages/bio/bio-page.tsx'
import { shortLinkUrl } from '#web/site.ts'
import { ScrollRegion } from '#web/ui/scroll-region.tsx'
import { type BioDraft, nameOfPage, rowsToSave } from './bio-draft.ts'

/** Links in the preview lead nowhere: half-typed text may not be an address yet. */
const nowhere = '#'

function isInTime(link: { starts_at: string | null; ends_at: string | null }): boolean {
  const now = Date.now()
  const { starts_at: from, ends_at: to } = link
  return (from === null || Date.parse(from) <= now) && (to === null || Date.parse(to) > now)
}

/** The page as visitors would get it if it were saved now, on a phone of 375 px. */
export function BioLivePreview({ draft, marked }: { draft: BioDraft; marked: boolean }) {
  const shown = useDeferredValue(draft)
  const { links, socialLinks } = rowsToSave(shown)
  return (
    <div className="grid w-full max-w-[375px] gap-3 self-start lg:sticky lg:top-6">
      <h2 className="text-sm font-medium text-ink-soft">Live Preview</h2>
      <ScrollRegion
        aria-label="Live Preview"
        className="h-[min(47.5rem,calc(100dvh-12rem))] min-h-96 overflow-y-auto rounded-2xl border border-edge lg:h-[min(47.5rem,calc(100dvh-8rem))]"
      >
        <BioPagePreview
          page={{
            title: shown.title === '' ? 'Your title' : shown.title,
            description: shown.description,
            address: shortLinkUrl(nameOfPage(shown)),
            theme: shown.theme,
            look: shown.look,
            avatarUrl: shown.avatarUrl,
            links: links
              .filter((link) => link.is_visible && isInTime(link))
              .map(({ kind, title, image_url: imageUrl }) =>
                kind === 'link' ? { kind, title, href: nowhere, imageUrl } : { kind, title },
              ),
            socialLinks: socialLinks.map(({ platform }) => ({ platform, href: nowhere })),
            marked,
          }}
        />
      </ScrollRegion>
    </div>
  )
}
