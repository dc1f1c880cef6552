import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { densestText } from '#domain/qr/qr-cells.ts'
import { nameOfAddress } from '#domain/links/link-address.ts'
import { normalizeShortCode } from '#domain/links/short-codes.ts'
import { routes } from '#domain/routes.ts'
import { notices } from '#domain/texts/texts.ts'
import { codesOfHash } from '#web/qr/selection-hash.ts'
import { useSession } from '#web/session/session.ts'
import { shownCode, shownLink } from '#web/shown-link.ts'
import { Button } from '#web/ui/button.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { Screen } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { PlacementsPanel } from './placements-panel.tsx'
import {
  linkTargetQuery,
  pageTargetQuery,
  placementsQuery,
  type QrTarget,
  scannedAddress,
  selectionQuery,
} from './qr-source.ts'
import { StaticCodeForm } from './static/static-code-form.tsx'
import { Studio } from './studio.tsx'

const route = getRouteApi(routes.qrStudio.path)

/** The studio of QR codes: of a link, of the bio page, or of something that is no link. */
export function StudioScreen(): ReactNode {
  useTitle('QR code · Hoplet')
  const session = useSession()
  const { link, page } = route.useSearch()
  const { hash } = useLocation()
  const codes = useMemo(() => codesOfHash(hash), [hash])
  if (session.status !== 'signed-in')
    return (
      <Screen title="QR code">
        <div aria-hidden className="h-120 animate-pulse rounded-2xl bg-sunken" />
      </Screen>
    )
  const { userId } = session
  const key = `${userId} ${link ?? ''} ${page ?? ''} ${hash}`
  if (link === undefined && page === undefined)
    return codes.length > 0 ? (
      <SelectionStudio key={key} userId={userId} codes={codes} />
    ) : (
      <StaticStudio key={key} userId={userId} />
    )
  return <TargetStudio key={key} userId={userId} code={link && nameOfAddress(link)} />
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
  const missing =
    code === undefined ? 'You have no bio page yet' : `You have no link ${shownCode(code)}`
  return <Waiting query={query} missing={missing} />
}

interface WaitingProps {
  query: { isError: boolean; data: unknown; refetch: () => Promise<unknown> }
  /** Title where there is nothing to show. */
  missing: string
}

/** A studio without a code: while it loads, and when there is none. */
function Waiting({ query, missing }: WaitingProps) {
  return (
    <Screen title="QR code">
      {query.isError ? (
        <StatePanel
          role="alert"
          title={notices.loadFailed.description}
          action={<Button onClick={() => void query.refetch()}>Try Again</Button>}
        />
      ) : query.data === undefined ? (
        <div aria-hidden className="h-120 animate-pulse rounded-2xl bg-sunken" />
      ) : (
        <StatePanel title={missing} />
      )}
    </Screen>
  )
}

function SelectionStudio({ userId, codes }: { userId: string; codes: readonly string[] }) {
  const query = useQuery(selectionQuery(userId, codes))
  const targets = query.data ?? noTargets
  const text = useMemo(
    () => densestText(targets.map((target) => scannedAddress(target))),
    [targets],
  )
  if (text === undefined) return <Waiting query={query} missing="You have no such links" />
  return (
    <Studio
      userId={userId}
      text={text}
      name="qr-codes"
      badge="Dynamic QR codes: their destinations can change"
      before={<Way />}
      pdfQuery={undefined}
      selection={targets}
      sheet={{ kind: 'codes', codes: targets.map(({ code }) => code) }}
    />
  )
}

const noTargets: readonly QrTarget[] = []

function Dynamic({ userId, target }: { userId: string; target: QrTarget }) {
  const [chosen, setChosen] = useState<string>()
  const { data: placements = [] } = useQuery({
    ...placementsQuery(userId, target.id),
    enabled: target.kind === 'link',
  })
  const placement = placements.find(({ id }) => id === chosen)
  const code = target.code.replace('/', '-')
  const name = placement === undefined ? code : `${code}-${placement.mark}`
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
          onChoose={(next) => setChosen(next?.id)}
        />
      ) : null}
    </Studio>
  )
}

/** The way back. @param target none for several links */
function Way({ target }: { target?: QrTarget }) {
  return (
    <nav
      aria-label="Breadcrumb"
      className="flex min-h-10 min-w-0 items-center gap-1.5 text-sm text-ink-faint rail:pr-24"
    >
      {target?.kind === 'page' ? (
        <Link to={routes.bioLink.path} className={`${wayClass} shrink-0`}>
          Bio Link
        </Link>
      ) : (
        <Link to={routes.dashboard.path} className={`${wayClass} shrink-0`}>
          My Links
        </Link>
      )}
      {target?.kind === 'link' ? (
        <>
          <span aria-hidden>/</span>
          <Link
            to={routes.link.path}
            params={{ code: target.code }}
            className={`${wayClass} min-w-0 truncate`}
          >
            {target.title === '' ? shownLink(target.code) : target.title}
          </Link>
        </>
      ) : null}
      <span aria-hidden>/</span>
      <span aria-current="page" className="shrink-0">
        {target === undefined ? 'QR codes' : 'QR code'}
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
