import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Printer } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { drawQr, type QrDrawing } from '#domain/qr/draw-qr.ts'
import { QrTooLongError } from '#domain/qr/qr-cells.ts'
import type { QrLook } from '#domain/qr/qr-look.ts'
import { normalizeShortCode } from '#domain/links/short-codes.ts'
import { routes } from '#domain/routes.ts'
import { notices } from '#domain/texts/texts.ts'
import { useDefaultLook } from '#web/qr/looks-query.ts'
import { QrPicture } from '#web/qr/qr-picture.tsx'
import { scaleFor } from '#web/qr/save-qr.ts'
import type { SheetSource } from '#domain/qr/sheet-form.ts'
import { PrintSheet } from '#web/qr/sheet/print-sheet.tsx'
import { useQrCheck } from '#web/qr/use-qr-check.ts'
import { useSession } from '#web/session/session.ts'
import { site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { Screen } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { CheckCard } from './check-card.tsx'
import { DownloadMenu, type PngWidth } from './download-menu.tsx'
import { LookPanel } from './look-panel.tsx'
import { PlacementsPanel } from './placements-panel.tsx'
import {
  linkTargetQuery,
  pageTargetQuery,
  placementsQuery,
  type Placement,
  type QrTarget,
  scannedAddress,
} from './qr-source.ts'
import { SavedLooks } from './saved-looks.tsx'
import { StaticCodeForm } from './static/static-code-form.tsx'

const route = getRouteApi(routes.qrStudio.path)

/** The studio of QR codes: of a link, of the bio page, or of something that is no link. */
export function StudioScreen() {
  useTitle('QR code · Hoplet')
  const session = useSession()
  const { link, page } = route.useSearch()
  if (session.status !== 'signed-in')
    return (
      <Screen title="QR code">
        <div aria-hidden className="h-120 animate-pulse rounded-2xl bg-sunken" />
      </Screen>
    )
  const { userId } = session
  const key = `${userId} ${link ?? ''} ${page ?? ''}`
  if (link === undefined && page === undefined) return <StaticStudio key={key} userId={userId} />
  return <TargetStudio key={key} userId={userId} code={link} />
}

/** @param code of a link; undefined for the bio page */
function TargetStudio({ userId, code }: { userId: string; code: string | undefined }) {
  const ofLink = useQuery({
    ...linkTargetQuery(userId, normalizeShortCode(code ?? '')),
    enabled: code !== undefined,
  })
  const ofPage = useQuery({ ...pageTargetQuery(userId), enabled: code === undefined })
  const query = code === undefined ? ofPage : ofLink
  if (query.data !== undefined && query.data !== null)
    return <Dynamic userId={userId} target={query.data} />
  return (
    <Screen title="QR code">
      {query.isError ? (
        <StatePanel
          role="alert"
          title={notices.loadFailed.description}
          action={<Button onClick={() => void query.refetch()}>Try Again</Button>}
        />
      ) : query.data === null ? (
        <StatePanel
          title={code === undefined ? 'You have no bio page yet' : `You have no link /${code}`}
        />
      ) : (
        <div aria-hidden className="h-120 animate-pulse rounded-2xl bg-sunken" />
      )}
    </Screen>
  )
}

function Dynamic({ userId, target }: { userId: string; target: QrTarget }) {
  const [placement, setPlacement] = useState<Placement>()
  const { data: placements = [] } = useQuery({
    ...placementsQuery(userId, target.id),
    enabled: target.kind === 'link',
  })
  const name = placement === undefined ? target.code : `${target.code}-${placement.mark}`
  return (
    <Studio
      userId={userId}
      text={scannedAddress(target, placement)}
      name={name}
      badge="Dynamic QR code: its destination can change"
      before={<Way target={target} />}
      pdfQuery={{
        ...(target.kind === 'link' ? { code: target.code } : { page: '1' }),
        ...(placement === undefined ? {} : { placement: placement.id }),
      }}
      sheet={
        target.kind === 'page'
          ? { kind: 'page' }
          : placements.length === 0
            ? { kind: 'codes', codes: [target.code] }
            : { kind: 'placements', code: target.code, count: placements.length }
      }
    >
      {target.kind === 'link' ? (
        <PlacementsPanel
          userId={userId}
          linkId={target.id}
          chosen={placement}
          onChoose={setPlacement}
        />
      ) : null}
    </Studio>
  )
}

function Way({ target }: { target: QrTarget }) {
  const words = target.title === '' ? `${site.host}/${target.code}` : target.title
  return (
    <nav
      aria-label="Breadcrumb"
      className="flex min-h-10 min-w-0 items-center gap-1.5 text-sm text-ink-faint rail:pr-24"
    >
      {target.kind === 'link' ? (
        <>
          <Link to={routes.dashboard.path} className={`${wayClass} shrink-0`}>
            My Links
          </Link>
          <span aria-hidden>/</span>
          <Link
            to={routes.link.path}
            params={{ code: target.code }}
            className={`${wayClass} min-w-0 truncate`}
          >
            {words}
          </Link>
        </>
      ) : (
        <Link to={routes.bioLink.path} className={`${wayClass} shrink-0`}>
          Bio Link
        </Link>
      )}
      <span aria-hidden>/</span>
      <span aria-current="page" className="shrink-0">
        QR code
      </span>
    </nav>
  )
}

const wayClass = 'text-ink-soft underline-offset-4 hover:text-ink hover:underline'

function StaticStudio({ userId }: { userId: string }) {
  const [code, setCode] = useState<{ text: string; name: string }>()
  return (
    <Studio
      userId={userId}
      text={code?.text}
      name={code?.name ?? ''}
      badge="Static QR code: nothing can be changed or counted"
      pdfQuery={undefined}
    >
      <div className="rounded-2xl border border-line bg-surface p-4 sm:p-6">
        <StaticCodeForm onCode={setCode} />
      </div>
    </Studio>
  )
}

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
  children?: ReactNode
}

function Studio({ userId, text, badge, before, children, ...files }: StudioProps) {
  const standard = useDefaultLook(userId)
  const [chosen, setLook] = useState<QrLook>()
  const look = chosen ?? standard
  return (
    <Screen title="QR code" intro={badge} before={before}>
      <div className="grid gap-6 rail:grid-cols-[minmax(0,1fr)_minmax(18rem,25rem)]">
        <div className="order-2 grid content-start gap-4 rail:order-1">
          {children}
          <LookPanel look={look} onChange={(part) => setLook({ ...look, ...part })} />
        </div>
        <div className="order-1 grid content-start gap-4 rail:order-2">
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

interface CodeProps extends Pick<StudioProps, 'userId' | 'name' | 'pdfQuery' | 'sheet'> {
  text: string
  look: QrLook
  onLook: (look: QrLook) => void
}

/** The code, its check, and its files. */
function Code({ userId, text, look, onLook, name, pdfQuery, sheet }: CodeProps) {
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
            <DownloadMenu
              {...{ userId, drawing, look, state, name, width, pdfQuery }}
              onWidth={setWidth}
            />
            {sheet === undefined ? null : (
              <Button onClick={() => setPrinting(true)}>
                <Printer size={17} aria-hidden />
                Print sheet
              </Button>
            )}
          </div>
          <p className="text-sm text-ink-soft">
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
