import { Link } from '@tanstack/react-router'
import { Printer } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { drawQr, type QrDrawing } from '#domain/qr/draw-qr.ts'
import { QrTooLongError } from '#domain/qr/qr-cells.ts'
import type { QrLook } from '#domain/qr/qr-look.ts'
import type { SheetSource } from '#domain/qr/sheet-form.ts'
import { routes } from '#domain/routes.ts'
import { useDefaultLook } from '#web/qr/looks-query.ts'
import { QrPicture } from '#web/qr/qr-picture.tsx'
import { scaleFor } from '#web/qr/save-qr.ts'
import { PrintSheet } from '#web/qr/sheet/print-sheet.tsx'
import { useQrCheck } from '#web/qr/use-qr-check.ts'
import { rememberQrCode } from '#web/session/checklist-memory.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { CheckCard } from './check-card.tsx'
import { DownloadMenu, type PngWidth } from './download-menu.tsx'
import { LookPanel } from './look-panel.tsx'
import type { QrTarget } from './qr-source.ts'
import { SavedLooks } from './saved-looks.tsx'
import { SelectionCard } from './selection-card.tsx'
import { ZipMenu } from './zip-menu.tsx'

interface StudioProps {
  userId: string
  /** Content of the code; undefined while there is none. */
  text: string | undefined
  /** File name without its type. */
  name: string
  badge: string
  before?: ReactNode
  pdfQuery: Readonly<Record<string, string>> | undefined
  /** Codes for a sheet of labels. */
  sheet?: SheetSource
  /** Several links, of which `text` is the densest code. */
  selection?: readonly QrTarget[]
  children?: ReactNode
}

/** Everything about one look: the code in it, its check and files, and its parts. */
export function Studio({ userId, text, badge, before, children, ...files }: StudioProps) {
  const standard = useDefaultLook(userId)
  const [chosen, setLook] = useState<QrLook>()
  const look = chosen ?? standard
  const { selection, sheet } = files
  // Only codes of this server are on sheets.
  const isStatic = sheet === undefined
  const title =
    selection === undefined || selection.length === 1
      ? 'QR code'
      : `${selection.length.toLocaleString('en')} QR codes`
  return (
    <Screen
      title={title}
      intro={badge}
      before={before}
      actions={
        isStatic ? undefined : (
          <Link to={routes.qrStudio.path} className={buttonClass('plain', 'small')}>
            Static QR code
          </Link>
        )
      }
    >
      <div className="grid gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(18rem,2fr)]">
        <div className="order-2 grid content-start gap-4 lg:order-1">
          {selection === undefined ? children : <SelectionCard targets={selection} look={look} />}
          <LookPanel look={look} onChange={(part) => setLook({ ...look, ...part })} />
        </div>
        <div className="order-1 grid content-start gap-4 lg:order-2">
          {text === undefined ? (
            <StatePanel title="Your code appears here" />
          ) : (
            <Code {...{ userId, text, look, ...files }} onLook={setLook} />
          )}
          <SavedLooks userId={userId} look={look} onLook={setLook} />
        </div>
      </div>
    </Screen>
  )
}

interface CodeProps extends Pick<
  StudioProps,
  'userId' | 'name' | 'pdfQuery' | 'sheet' | 'selection'
> {
  text: string
  look: QrLook
  onLook: (look: QrLook) => void
}

/** The code, its check, and its files. */
function Code({ userId, text, look, onLook, name, pdfQuery, sheet, selection }: CodeProps) {
  const [width, setWidth] = useState<PngWidth>(1_024)
  const [isPrinting, setPrinting] = useState(false)
  const drawing = useMemo(() => drawingOf(text, look), [text, look])
  const scale = drawing === undefined ? 1 : scaleFor(drawing, width)
  const { state, mend } = useQrCheck(text, look, scale)
  return (
    <>
      <div className="grid place-items-center rounded-2xl border border-line bg-white p-4">
        {drawing === undefined ? null : (
          <QrPicture
            drawing={drawing}
            title={`QR code of ${text}`}
            className="h-auto w-full max-w-80"
          />
        )}
      </div>
      <CheckCard {...{ text, look, state, mend, onLook }} />
      {drawing === undefined ? null : (
        <>
          <div className="flex flex-wrap gap-2 *:grow">
            {selection === undefined ? (
              <DownloadMenu
                {...{ userId, drawing, look, state, name, width, pdfQuery }}
                onWidth={setWidth}
              />
            ) : (
              <ZipMenu {...{ userId, look, state, width }} targets={selection} onWidth={setWidth} />
            )}
            {sheet === undefined ? null : (
              <Button onClick={() => setPrinting(true)}>
                <Printer size={17} aria-hidden />
                Print sheet
              </Button>
            )}
          </div>
          <p className="text-sm text-ink-soft">
            {selection === undefined ? '' : 'The densest code decides: '}
            {drawing.code.size} cells
            {typeof state === 'object' && state.smallest !== undefined
              ? ` · print it ${Math.ceil(state.smallest.millimeters)} mm wide or more`
              : ''}{' '}
            · quiet zone kept
          </p>
        </>
      )}
      {isPrinting && sheet !== undefined ? (
        <PrintSheet
          userId={userId}
          source={sheet}
          look={look}
          cells={drawing?.code.size ?? 0}
          onClose={() => setPrinting(false)}
          onDownloaded={() => rememberQrCode(userId)}
        />
      ) : null}
    </>
  )
}

function drawingOf(text: string, look: QrLook): QrDrawing | undefined {
  try {
    return drawQr(text, look)
  } catch (error) {
    if (error instanceof QrTooLongError) return undefined
    throw error
  }
}
