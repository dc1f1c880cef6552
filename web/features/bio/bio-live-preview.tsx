import { useDeferredValue } from 'react'
import { BioPagePreview } from '#public-pages/bio-page.tsx'
import { site } from '#web/site.ts'
import { type BioDraft, rowsToSave } from './bio-draft.ts'

/** Links in the preview lead nowhere: what is being typed may not be an address yet. */
const nowhere = '#'

/** The page as visitors would get it if it were saved now. */
export function BioLivePreview({ draft, marked }: { draft: BioDraft; marked: boolean }) {
  const shown = useDeferredValue(draft)
  const { links, socialLinks } = rowsToSave(shown)
  return (
    <div className="grid gap-3 self-start lg:sticky lg:top-24">
      <h2 className="text-sm font-medium text-ink-soft">Live Preview</h2>
      <section
        aria-label="Live Preview"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard, and nothing in it is
        tabIndex={0}
        className="max-h-[46rem] overflow-y-auto rounded-3xl border border-line lg:max-h-[calc(100dvh-9rem)]"
      >
        <BioPagePreview
          page={{
            title: shown.title === '' ? 'Your title' : shown.title,
            description: shown.description,
            address: `${site.publicUrl}/${shown.slug}`,
            theme: shown.theme,
            links: links.map(({ title }) => ({ title, href: nowhere })),
            socialLinks: socialLinks.map(({ platform }) => ({ platform, href: nowhere })),
            marked,
          }}
        />
      </section>
    </div>
  )
}
