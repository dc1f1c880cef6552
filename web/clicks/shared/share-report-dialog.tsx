import { sharedReportTexts } from '#domain/texts/link-texts.ts'
import { lazyPart } from '#web/app/lazy-part.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import type { ReportSubject } from './shared-report-queries.ts'

const SharedReportPanel = lazyPart(
  async () => (await import('./shared-report-panel.tsx')).SharedReportPanel,
  <div className="h-80" />,
)

interface ShareReportDialogProps {
  userId: string
  /** The dialog is open while there is one. */
  subject: ReportSubject | undefined
  onClose: () => void
}

/** Shares the report of a link or a tag with people without an account. */
export function ShareReportDialog({ userId, subject, onClose }: ShareReportDialogProps) {
  return (
    <Dialog
      open={subject !== undefined}
      onClose={onClose}
      title="Share report"
      description={subject?.kind === 'tag' ? sharedReportTexts.introOfTag : sharedReportTexts.intro}
    >
      {subject === undefined ? null : <SharedReportPanel {...{ userId, subject, onClose }} />}
    </Dialog>
  )
}
