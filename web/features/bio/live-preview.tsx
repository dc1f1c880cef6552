import { useDeferredValue } from 'react'
import { BioPagePreview } from '#public-pages/bio-page.tsx'
import { site } from '#web/site.ts'
import { type BioDraft, rowsToSave } from './bio-draft.ts'

/** The page as visitors would get it if it were saved now. */
export function LivePreview({ draft }: { draft: BioDraft }) {
  const shown = useDeferredValue(draft)
  const { links, socialLinks } = rowsToSave(shown)
  return (
    <section aria-label="Live Preview" className="grid gap-3 lg:sticky lg:top-6">
      <h2 className="text-sm font-medium text-ink-soft">Live Preview</h2>
      <div className="overflow-hidden rounded-3xl border border-line">
        <div className="max-h-[46rem] overflow-y-auto overscroll-contain" data-quiet-focus>
          <BioPagePreview
            page={{
              title: shown.title === '' ? 'Your title' : shown.title,
              description: shown.description,
              address: `${site.publicUrl}/${shown.slug}`,
              theme: shown.theme,
              links: links.map(({ title, url }) => ({ title, href: url })),
              socialLinks: socialLinks.map(({ platform, url }) => ({ platform, href: url })),
            }}
          />
        </div>
      </div>
    </section>
  )
}
