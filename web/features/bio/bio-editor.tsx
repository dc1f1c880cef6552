import { Link } from '@tanstack/react-router'
import { ChartColumn, ExternalLink, QrCode } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { routes } from '#domain/routes.ts'
import { useTrends } from '#web/clicks/trends-query.ts'
import { usePlan } from '#web/plan/plan.ts'
import type { SavedBioPage } from '#web/api/database.ts'
import { shortLinkUrl } from '#web/site.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { ConflictDialog } from '#web/ui/dialogs/conflict-dialog.tsx'
import { LeaveDialog } from '#web/ui/dialogs/leave-dialog.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { phone, useMedia } from '#web/ui/hooks/use-media.ts'
import { PopupPicker } from '#web/popup-picker/popup-picker.tsx'
import { type FirstAnswers, nameOfPage } from './bio-draft.ts'
import { BioLivePreview } from './bio-live-preview.tsx'
import { EditorBar } from './editor-bar.tsx'
import { CopyAddress } from './copy-address.tsx'
import { LinksSection } from './links-section.tsx'
import { LivePageSheet } from './live-page-sheet.tsx'
import { LookSection } from './look-section.tsx'
import { PageSettings } from './page-settings.tsx'
import { SocialSection } from './social-section.tsx'
import { ThemeSection } from './theme-section.tsx'
import { type EditorTab, useBioEditor } from './use-bio-editor.ts'
import { useLookFonts } from './use-look-fonts.ts'
import { EditorSection } from './editor-section.tsx'

interface BioEditorProps {
  userId: string
  loaded: SavedBioPage | null
  /** Answers for a page that is not saved yet. */
  first: FirstAnswers | undefined
}

/** The editor beside the visitors' page; narrow screens show one of the two. */
export function BioEditor({ userId, loaded, first }: BioEditorProps) {
  useLookFonts()
  const editor = useBioEditor(userId, loaded, first)
  const { form, fields, tab, page, changed } = editor
  const { draft, change } = fields
  const plan = usePlan(userId)
  const canViewClicks = plan?.limits.canViewClicks
  const trends = useLinkTrends(userId, loaded, canViewClicks)

  function openTab(next: EditorTab) {
    editor.setTab(next)
    window.scrollTo(0, 0)
  }

  return (
    <Screen
      title="Bio Link"
      actions={
        <div className="flex items-center gap-1.5 lg:gap-3">
          <Visits count={canViewClicks === true ? (page?.visit_count ?? null) : null} />
          <AnalyticsLink id={page?.id} />
          <CopyAddress name={page && nameOfPage(page)} isCompact />
          <PreviewLink name={page && nameOfPage(page)} />
          <StudioLink isSaved={page !== undefined} />
        </div>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 max-lg:pb-16 lg:grid-cols-[minmax(0,1fr)_375px]">
        <form
          ref={form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            editor.save()
          }}
          className="grid grid-cols-[minmax(0,1fr)] content-start gap-4"
        >
          <Part of="edit" tab={tab}>
            <LinksSection fields={fields} showsClicks={canViewClicks} trends={trends} />
            <PageSettings fields={fields} locked={page !== undefined} />
          </Part>
          <Part of="look" tab={tab}>
            <LookSection {...fields} />
            <ThemeSection {...fields} />
          </Part>
          <Part of="edit" tab={tab}>
            <SocialSection {...fields} />
            <PopupSection
              userId={userId}
              value={draft.popupId}
              onChange={(popupId) => change(() => ({ popupId }))}
            />
          </Part>
          <EditorBar tab={tab} onTab={openTab} changed={changed} saving={editor.saving} />
        </form>
        <Part of="preview" tab={tab}>
          <BioLivePreview draft={draft} marked={plan?.plan === 'free'} />
        </Part>
      </div>
      {page === undefined ? null : (
        <LivePageSheet open={editor.isLive} name={nameOfPage(page)} onClose={editor.closeLive} />
      )}
      <ConflictDialog conflict={editor.conflict} subject="This page was" />
      <LeaveDialog hasUnsaved={() => changed} description="Your bio page has unsaved changes." />
    </Screen>
  )
}

interface PartProps {
  of: EditorTab
  tab: EditorTab
  children: ReactNode
}

/** A part of the editor: always there on wide screens, on narrow ones when its tab is open. */
function Part({ of, tab, children }: PartProps) {
  return <div className={`space-y-4 ${of === tab ? '' : 'max-lg:hidden'}`}>{children}</div>
}

/** The lines of the saved links, in one answer. */
function useLinkTrends(
  userId: string,
  loaded: SavedBioPage | null,
  canViewClicks: boolean | undefined,
) {
  const isPhone = useMedia(phone)
  const ids = useMemo(() => [loaded?.links.map(({ id }) => id) ?? []], [loaded])
  return useTrends(userId, 'bio_link', ids, !isPhone && canViewClicks === true)
}

function AnalyticsLink({ id }: { id: string | undefined }) {
  if (id === undefined) return null
  return (
    <Link
      to={routes.analytics.path}
      search={{ scope: 'bio', id }}
      title="Analytics"
      className={buttonClass('plain', 'small')}
    >
      <ChartColumn size={16} aria-hidden />
      <span className="max-lg:sr-only">Analytics</span>
    </Link>
  )
}

function PreviewLink({ name }: { name: string | undefined }) {
  if (name === undefined) return null
  return (
    <a
      href={shortLinkUrl(name)}
      target="_blank"
      rel="noopener"
      className={buttonClass('plain', 'small')}
    >
      <ExternalLink size={16} aria-hidden />
      <span className="max-rail:sr-only">Preview</span>
    </a>
  )
}

/** The way to the QR code of the page. */
function StudioLink({ isSaved }: { isSaved: boolean }) {
  if (!isSaved) return null
  return (
    <Link
      to={routes.qrStudio.path}
      search={{ page: '1' }}
      title="QR code"
      aria-label="QR code"
      className={buttonClass('plain', 'small')}
    >
      <QrCode size={16} aria-hidden />
    </Link>
  )
}

/** Visit counts are for paid plans: the server sends free accounts none. */
function Visits({ count }: { count: number | null }) {
  if (count === null) return null
  return (
    // On phones there is no room for it beside the title.
    <p className="text-sm text-ink-soft tabular-nums max-rail:sr-only">
      {count.toLocaleString('en-US')} {count === 1 ? 'visit' : 'visits'}
    </p>
  )
}

interface PopupSectionProps {
  userId: string
  value: string | null
  onChange: (popupId: string | null) => void
}

function PopupSection(props: PopupSectionProps) {
  return (
    <EditorSection title="Conversion Popup" hint="Shown once per visit.">
      <PopupPicker {...props} none="No popup" />
    </EditorSection>
  )
}
