import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useRef, useState } from 'react'
import { labelFormat } from '#domain/qr/labels.ts'
import type { QrLook } from '#domain/qr/qr-look.ts'
import {
  codesOf,
  type SheetFields,
  sheetForm,
  sheetBody,
  type SheetSource,
  wholeOf,
} from '#domain/qr/sheet-form.ts'
import { qrLimitReachedNotice } from '#domain/texts/plan-texts.ts'
import { failure, notices } from '#domain/texts/texts.ts'
import { refusalFields } from '#web/api/fetch-in-words.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { postAsCaller } from '#web/session/caller.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { StickyDialogActions } from '#web/ui/dialogs/sticky-dialog-actions.tsx'
import { saveBlob } from '#web/ui/save-blob.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { CaptionFields } from './caption-fields.tsx'
import { LabelFields } from './label-fields.tsx'
import { keepLabelSettings, labelSettingsQuery, settingFields } from './label-settings.ts'
import { LeaveCaptionOut, SheetSummary, warningClass } from './sheet-summary.tsx'

const failed = failure('Failed to make the sheet. Please try again.')

interface PrintSheetProps {
  userId: string
  source: SheetSource
  look: QrLook
  /** Cells of the widest code with its quiet zone. */
  cells: number
  onClose: () => void
  onDownloaded?: () => void
}

/** QR codes on labels, as a PDF of the server. */
export function PrintSheet(props: PrintSheetProps) {
  const settings = useQuery(labelSettingsQuery(props.userId))
  return (
    <Dialog open onClose={props.onClose} title="Print sheet" shape="wide">
      {settings.isPending ? (
        <output
          className="block h-96 animate-pulse rounded-2xl bg-sunken"
          aria-label="Loading your labels"
        />
      ) : (
        <SheetForm {...props} initialLabels={settingFields(settings.data)} />
      )}
    </Dialog>
  )
}

interface SheetFormProps extends PrintSheetProps {
  initialLabels: ReturnType<typeof settingFields>
}

function SheetForm({ userId, source, look, cells, onDownloaded, initialLabels }: SheetFormProps) {
  const client = useQueryClient()
  const codes = codesOf(source)
  const hasOutlines = useRef(false)
  const [refusal, setRefusal] = useState<string>()
  const [initial] = useState<SheetFields>(() => ({
    ...initialLabels,
    start: '1',
    copies: '1',
    caption: source.kind === 'placements' ? 'placement' : 'code',
    text: '',
  }))
  const form = useFormFields({
    schema: sheetForm(codes),
    initial,
    issueNotice: null,
    submit: async (values) => {
      const isTest = hasOutlines.current
      setRefusal(undefined)
      // A sheet is no worse when they could not be kept.
      void keepLabelSettings(client, userId, values).catch(() => undefined)
      try {
        const body = sheetBody(source, look, values, isTest)
        const response = await postAsCaller('/functions/v1/qr-sheet', body)
        if (!response.ok) return setRefusal(await refusalOf(response))
        saveBlob(await response.blob(), isTest ? 'qr-test-page.pdf' : 'qr-codes.pdf')
        notifySuccess(notices.downloaded)
        void client.invalidateQueries({ queryKey: ['account', userId, 'usage'] })
        if (!isTest) onDownloaded?.()
      } catch {
        notifyError(failed)
      }
    },
  })
  const { values } = form
  const format = labelFormat(values.format)
  const leaveCaptionOut = () => {
    form.change({ caption: 'none' })
    setRefusal(undefined)
  }

  return (
    <form
      {...form.props}
      onSubmit={(event) => {
        hasOutlines.current = false
        form.props.onSubmit(event)
      }}
      className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-5"
    >
      <LabelFields form={form} codes={codes} />
      <CaptionFields form={form} hasPlacements={source.kind === 'placements'} />
      {format === undefined ? null : (
        <SheetSummary
          labels={codes * wholeOf(values.copies)}
          first={format.paper === 'label' ? 1 : wholeOf(values.start)}
          hasCaption={values.caption !== 'none'}
          {...{ format, cells, leaveCaptionOut }}
        />
      )}
      {refusal === undefined ? null : (
        <div role="alert" className={warningClass}>
          <p>{refusal}</p>
          {values.caption !== 'none' && /caption/i.test(refusal) ? (
            <LeaveCaptionOut onPress={leaveCaptionOut} />
          ) : null}
        </div>
      )}
      <StickyDialogActions>
        <Button
          busy={form.busy}
          onClick={() => {
            hasOutlines.current = true
            form.submit()
          }}
        >
          Test page
        </Button>
        <Button type="submit" look="accent" busy={form.busy}>
          <Download size={16} aria-hidden />
          Download PDF
        </Button>
      </StickyDialogActions>
    </form>
  )
}

/** Why the server makes no sheet. */
async function refusalOf(response: Response): Promise<string | undefined> {
  const { error } = await refusalFields(response)
  // The button says it to people.
  const sentence = typeof error === 'string' ? error.replace(/ [^.]*caption=none\.$/, '') : ''
  const limit = /daily limit of (\d+) QR codes/.exec(sentence)?.[1]
  if (limit !== undefined) notifyError(qrLimitReachedNotice(Number(limit)))
  else if (response.status >= 500 || sentence === '') notifyError(failed)
  else return sentence
  return undefined
}
