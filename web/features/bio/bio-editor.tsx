import { Link } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { usePlan } from '#web/plan/plan.ts'
import type { SavedBioPage } from '#web/database.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { LeaveDialog } from '#web/ui/leave-dialog.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import { LinksSection } from './links-section.tsx'
import { BioLivePreview } from './bio-live-preview.tsx'
import { PageSettings } from './page-settings.tsx'
import { PopupSection } from './popup-section.tsx'
import { SocialSection } from './social-section.tsx'
import { ThemeSection } from './theme-section.tsx'
import { useBioEditor } from './use-bio-editor.ts'

interface BioEditorProps {
  userId: string
  loaded: SavedBioPage | null
}

export function BioEditor({ userId, loaded }: BioEditorProps) {
  const { form, draft, change, problems, save, saving, page, changed, conflict } = useBioEditor(
    userId,
    loaded,
  )
  const marked = usePlan(userId)?.plan === 'free'
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-4">
        <div className="grid gap-1">
          <h1 className="text-3xl font-semibold tracking-[-0.03em] sm:text-4xl">Bio Link</h1>
          <Visits userId={userId} count={page?.visit_count ?? null} />
        </div>
        <PreviewLink slug={page?.slug} />
      </div>
      <div className="mt-8 grid gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <form
          ref={form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            save()
          }}
          className="grid content-start gap-6"
        >
          <PageSettings
            draft={draft}
            change={change}
            problems={problems}
            locked={page !== undefined}
          />
          <PopupSection
            userId={userId}
            value={draft.popupId}
            onChange={(popupId) => change(() => ({ popupId }))}
          />
          <ThemeSection theme={draft.theme} onChange={(theme) => change(() => ({ theme }))} />
          <SocialSection draft={draft} change={change} problems={problems} />
          <LinksSection draft={draft} change={change} problems={problems} />
          <div className="sticky bottom-0 z-[5] -mx-4 flex items-center justify-end gap-3 border-t border-line bg-paper px-4 py-3 sm:-mx-6 sm:px-6 lg:mx-0 lg:px-0">
            <output className="mr-auto text-sm text-ink-faint">
              {changed ? 'Unsaved changes' : ''}
            </output>
            <Link to={routes.dashboard.path} className={buttonClass('plain')}>
              Cancel
            </Link>
            <Button type="submit" look="accent" busy={saving}>
              {saving ? 'Saving...' : 'Save'}
            </Button>
          </div>
        </form>
        <BioLivePreview draft={draft} marked={marked} />
      </div>
      <ConflictDialog conflict={conflict} />
      <LeaveDialog
        hasUnsaved={() => changed}
        description="Your bio page has changes that are not saved yet."
      />
    </>
  )
}

function PreviewLink({ slug }: { slug: string | undefined }) {
  if (slug === undefined) {
    return <p className="text-sm text-ink-faint">Save the page to open it in a new tab.</p>
  }
  return (
    <a href={`/${slug}`} target="_blank" rel="noopener" className={buttonClass('plain')}>
      <ExternalLink size={17} aria-hidden />
      Preview
    </a>
  )
}

/** Visit counts are for paid plans: the server sends free accounts none, and this shows them none. */
function Visits({ userId, count }: { userId: string; count: number | null }) {
  const canView = usePlan(userId)?.limits.canViewClicks === true
  if (!canView || count === null) return null
  return (
    <p className="text-ink-soft tabular-nums">
      {count.toLocaleString('en-US')} {count === 1 ? 'visit' : 'visits'}
    </p>
  )
}
