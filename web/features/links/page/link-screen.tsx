import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { routes } from '#domain/routes.ts'
import { normalizeShortCode } from '#domain/links/short-codes.ts'
import { codeOfLink } from '#domain/links/link-address.ts'
import { notices } from '#domain/texts/texts.ts'
import { LazyReportPanel } from '#web/clicks/lazy-report-panel.tsx'
import { ReportShape } from '#web/clicks/report-shape.tsx'
import { ShareReportDialog } from '#web/clicks/shared/share-report-dialog.tsx'
import type { ReportSubject } from '#web/clicks/shared/shared-report-queries.ts'
import { useSession } from '#web/session/session.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { lazyPart } from '#web/app/lazy-part.tsx'
import { columnClass } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { ChangeCodeDialog } from './change-code-dialog.tsx'
import { useDeleteLinks } from '../change-link.ts'
import { DeleteLinkDialog } from '../delete-link-dialog.tsx'
import { EditDialog } from '../form/edit-dialog.tsx'
import type { LinkSection } from '../options/option-sections.ts'
import { LinkHero } from './link-hero.tsx'
import { LinkHistory } from './link-history.tsx'
import { linkQuery } from './link-query.ts'
import { reloadLinks } from '../list/live-links.ts'
import { LinkNeighbors } from './link-neighbors.tsx'
import { LinkTag } from '../link-tag.tsx'
import { LinkTitle } from './link-title.tsx'
import { useRemoveUnclicked } from '../unclicked-links.ts'
import type { LinkRow } from '#web/api/database.ts'
import { shownCode, shownLink, shownName } from '#web/shown-link.ts'

const LinkBehavior = lazyPart(
  async () => (await import('./link-behavior.tsx')).LinkBehavior,
  <div aria-hidden className="h-120 animate-pulse rounded-2xl bg-sunken" />,
)

const route = getRouteApi(routes.link.path)

/** The page of one short link. */
export function LinkScreen() {
  const code = normalizeShortCode(route.useParams().code)
  useTitle(`${shownCode(code)} · Hoplet`)
  const session = useSession()
  return (
    <div className={`${columnClass} pt-5 pb-16 rail:pt-6`}>
      <nav aria-label="Breadcrumb" className="flex min-h-10 items-center text-sm rail:pr-24">
        <ol className="flex min-w-0 gap-1.5 text-ink-faint">
          <li className="shrink-0">
            <Link
              to={routes.dashboard.path}
              className="text-ink-soft underline-offset-4 hover:text-ink hover:underline"
            >
              My Links
            </Link>
          </li>
          <li aria-hidden>/</li>
          <li aria-current="page" className="truncate">
            {shownName(code)}
          </li>
        </ol>
        {session.status === 'signed-in' ? (
          <LinkNeighbors userId={session.userId} code={code} />
        ) : null}
      </nav>
      {session.status === 'signed-in' ? (
        <LinkOfAccount key={`${session.userId} ${code}`} userId={session.userId} code={code} />
      ) : (
        <LinkSkeleton code={code} />
      )}
    </div>
  )
}

function LinkOfAccount({ userId, code }: { userId: string; code: string }) {
  const client = useQueryClient()
  const query = useQuery(linkQuery(client, userId, code))
  if (query.data !== undefined && query.data !== null)
    return <LinkPage link={query.data} userId={userId} />
  if (query.isError)
    return (
      <>
        <LinkTitle code={code} />
        <div className="mt-6">
          <StatePanel
            role="alert"
            title={notices.loadFailed.description}
            action={<Button onClick={() => void query.refetch()}>Try Again</Button>}
          />
        </div>
      </>
    )
  if (query.isPending) return <LinkSkeleton code={code} />
  return (
    <>
      <LinkTitle code={code} />
      <div className="mt-6">
        <StatePanel
          title="You have no such link"
          action={
            <Link to={routes.dashboard.path} className={buttonClass('plain')}>
              My Links
            </Link>
          }
        >
          It was deleted, or it belongs to another account.
        </StatePanel>
      </div>
    </>
  )
}

function LinkPage({ link, userId }: { link: LinkRow; userId: string }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const leave = () => void navigate({ to: routes.dashboard.path, replace: true })
  const deletion = useDeleteLinks(useWhileShown(leave))
  const removeUnclicked = useRemoveUnclicked()
  const [editing, setEditing] = useState<LinkSection>()
  const [isSharing, setSharing] = useState(false)
  const [isChangingCode, setChangingCode] = useState(false)
  const [deleting, setDeleting] = useState<readonly LinkRow[]>([])
  return (
    <>
      <LinkHero
        link={link}
        userId={userId}
        onEdit={() => setEditing('link')}
        onShareReport={() => setSharing(true)}
        onChangeCode={() => setChangingCode(true)}
        onDelete={() => {
          if (link.click_count !== 0) return setDeleting([link])
          removeUnclicked(link)
          leave()
        }}
      />
      <div className="mt-5 grid grid-cols-[minmax(0,1fr)] gap-4">
        <LazyReportPanel
          userId={userId}
          about={{ scope: 'link', id: link.id }}
          allTime={
            link.click_count === null
              ? undefined
              : { clicks: link.click_count, since: link.first_click_at }
          }
          onNews={() => void reloadLinks(client, [link.id])}
        />
        <LinkBehavior link={link} userId={userId} onEdit={setEditing} />
        <LinkHistory link={link} userId={userId} />
      </div>
      <EditDialog
        link={editing === undefined ? undefined : link}
        userId={userId}
        section={editing}
        onClose={() => setEditing(undefined)}
      />
      <ChangeCodeDialog
        link={link}
        userId={userId}
        open={isChangingCode}
        onClose={() => setChangingCode(false)}
      />
      <ShareReportDialog
        userId={userId}
        subject={isSharing ? subjectOf(link) : undefined}
        onClose={() => setSharing(false)}
      />
      <DeleteLinkDialog
        links={deleting}
        busy={deletion.isPending}
        onClose={() => setDeleting([])}
        onConfirm={deletion.mutate}
      />
    </>
  )
}

function subjectOf(link: LinkRow): ReportSubject {
  const { id, title } = link
  return { kind: 'link', id, name: title ?? shownLink(codeOfLink(link)) }
}

function LinkSkeleton({ code }: { code: string }) {
  return (
    <>
      <LinkTag
        code=""
        hasWideStub
        stub={<div aria-hidden className="h-47 w-37 animate-pulse rounded-xl bg-sunken" />}
        actions={
          <div
            aria-hidden
            className="h-9 w-64 max-w-full animate-pulse rounded-xl bg-sunken pointer-coarse:h-11"
          />
        }
      >
        <LinkTitle code={code} />
        <div
          aria-hidden
          className="mt-2.5 h-5 w-72 max-w-full animate-pulse rounded-md bg-sunken"
        />
      </LinkTag>
      <output className="sr-only">Loading your link</output>
      <div className="mt-5">
        <ReportShape isLoading />
      </div>
    </>
  )
}
