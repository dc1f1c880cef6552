import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { useCallback, useMemo, useRef, useState } from 'react'
import { routes } from '#domain/routes.ts'
import { notices } from '#domain/texts.ts'
import { linkCountQuery } from '#web/account-counts.ts'
import { useTrends } from '#web/clicks/trends-query.ts'
import { usePlan } from '#web/plan/plan.ts'
import { useSession } from '#web/session/session.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Mark } from '#web/ui/mark.tsx'
import { QueryList } from '#web/ui/query-list.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useMedia, wide } from '#web/ui/use-media.ts'
import { useShortcuts } from '#web/ui/use-shortcuts.ts'
import { useTitle } from '#web/ui/use-title.ts'
import { useDeleteLinks, useSetActive } from './change-link.ts'
import { Checklist, useChecklistReady } from './checklist.tsx'
import { DeleteLinkDialog } from './delete-link-dialog.tsx'
import { EditDialog } from './edit-dialog.tsx'
import type { RowActions } from './link-item.tsx'
import { LinkList } from './link-list.tsx'
import { LinkListSkeleton } from './link-list-skeleton.tsx'
import { linkKindsQuery, linksQuery, loadedLinks } from './links-query.ts'
import { ListToolbar } from './list-toolbar.tsx'
import { useLiveLinks } from './live-links.ts'
import { isNarrowed, needsClicks, readListView, withoutClicks } from './list-view.ts'
import { QrDialog } from './qr-dialog.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { useLeavingLinks, useRemoveUnclicked } from './unclicked-links.ts'
import { useLinkSelection } from './use-link-selection.ts'
import { useListView } from './use-list-view.ts'
import type { LinkRow } from '#web/database.ts'

export function MyLinksScreen() {
  useTitle('My Links · Hoplet')
  const session = useSession()
  if (session.status === 'signed-in')
    return <MyLinks key={session.userId} userId={session.userId} email={session.email} />
  return (
    <Screen title="My Links">
      <div inert>
        <ListToolbar {...toolbarAtRest} />
      </div>
      <LinkListSkeleton label="Loading your links" />
    </Screen>
  )
}

const toolbarAtRest = {
  typed: '',
  view: readListView({}),
  canViewClicks: undefined,
  kinds: undefined,
  onType: () => {},
  onClear: () => {},
  onChange: () => {},
}

const nothing: readonly LinkRow[] = []
const numbers = new Intl.NumberFormat('en-US')

function MyLinks({ userId, email }: { userId: string; email: string }) {
  const { typed, setTyped, view: asked, setView } = useListView()
  const canViewClicks = usePlan(userId)?.limits.canViewClicks
  const view = canViewClicks === false ? withoutClicks(asked) : asked
  const isWaitingForPlan = canViewClicks === undefined && needsClicks(view)
  const query = useInfiniteQuery({ ...linksQuery(userId, view), enabled: !isWaitingForPlan })
  const count = useQuery(linkCountQuery(userId)).data
  const kinds = useQuery(linkKindsQuery(userId)).data
  const trends = useLinkTrends(userId, query.data, canViewClicks)
  const leaving = useLeavingLinks()
  const links = useMemo(
    () => loadedLinks(query.data).filter(({ id }) => !leaving.has(id)),
    [query.data, leaving],
  )
  useLiveLinks(userId, links, canViewClicks === true && links.length > 0)
  const { selectedLinks, toggle, clear } = useLinkSelection(links)
  const selected = useMemo(() => new Set(selectedLinks.map(({ id }) => id)), [selectedLinks])
  const [editing, setEditing] = useState<LinkRow>()
  const [deleting, setDeleting] = useState(nothing)
  const [qrCodeOf, setQrCodeOf] = useState<LinkRow>()
  const list = useRef<HTMLUListElement>(null)
  const searchField = useRef<HTMLInputElement>(null)
  // The button that was pressed leaves with its row; the focus goes to the rest.
  const focusRest = useCallback(() => {
    requestAnimationFrame(() =>
      (list.current ?? searchField.current)?.focus({ preventScroll: true }),
    )
  }, [])
  const deletion = useDeleteLinks(() => {
    setDeleting(nothing)
    clear()
    focusRest()
  })
  const removeUnclicked = useRemoveUnclicked()
  const setActive = useSetActive()
  const createdId = useRouterState({ select: ({ location }) => location.state.createdLink })

  const clearView = useCallback(() => {
    setTyped('')
    setView(({ sort }) => readListView({ sort }))
    searchField.current?.focus()
  }, [setTyped, setView])

  useShortcuts({ '/': () => searchField.current?.focus() })

  const actions: RowActions = useMemo(
    () => ({
      edit: setEditing,
      remove: (link) => {
        if (link.click_count !== 0) return setDeleting([link])
        removeUnclicked(link)
        focusRest()
      },
      showQrCode: setQrCodeOf,
      setActive,
      toggle,
    }),
    [toggle, removeUnclicked, focusRest, setActive],
  )

  const isChecklistReady = useChecklistReady(userId)
  const isSettled = isChecklistReady && !query.isPending && !query.isPlaceholderData
  const isKnown = query.data !== undefined && (links.length > 0 ? isChecklistReady : isSettled)

  function countWords(): string | undefined {
    if (count === undefined) return undefined
    const all = numbers.format(count - leaving.size)
    if (!isNarrowed(view) || query.data === undefined) return all
    return `${numbers.format(links.length)}${query.hasNextPage ? '+' : ''} of ${all}`
  }

  return (
    <Screen title="My Links" count={countWords()}>
      <ListToolbar
        {...{ typed, view, canViewClicks, kinds, searchField }}
        onType={setTyped}
        onClear={() => {
          setTyped('')
          searchField.current?.focus()
        }}
        onChange={setView}
      />
      <output className="sr-only">
        {isNarrowed(view) && isSettled
          ? `${links.length} ${links.length === 1 ? 'link' : 'links'} found`
          : ''}
      </output>
      {/* Both at once: whichever came first would be pushed by the other. */}
      {query.isPending ? null : (
        <Checklist {...{ userId, email }} onDismissed={() => searchField.current?.focus()} />
      )}
      <QueryList
        query={query}
        rows={isKnown ? links : undefined}
        loading={null}
        skeleton={<LinkListSkeleton label="Loading your links" />}
        failed={notices.loadFailed}
        empty={
          isNarrowed(view) ? <NoMatchPanel search={view.q} onClear={clearView} /> : <EmptyPanel />
        }
      >
        {() => (
          <>
            <LinkList
              ref={list}
              {...{ links, canViewClicks, trends, selected, createdId, actions }}
              onEndNear={() => {
                if (query.hasNextPage && isSettled && !query.isFetching && !query.isError)
                  void query.fetchNextPage()
              }}
            />
            {query.isFetchingNextPage ? (
              <LinkListSkeleton rows={3} label="Loading more links" />
            ) : null}
          </>
        )}
      </QueryList>
      {selectedLinks.length === 0 ? null : (
        <SelectionBar
          count={selectedLinks.length}
          onDelete={() => setDeleting(selectedLinks)}
          onClear={clear}
        />
      )}
      <EditDialog link={editing} userId={userId} onClose={() => setEditing(undefined)} />
      <QrDialog
        shortCode={qrCodeOf?.short_code}
        userId={userId}
        onClose={() => setQrCodeOf(undefined)}
      />
      <DeleteLinkDialog
        links={deleting}
        busy={deletion.isPending}
        onClose={() => setDeleting(nothing)}
        onConfirm={deletion.mutate}
      />
    </Screen>
  )
}

/** The lines of the rows, where there is room for them: one answer for each page of rows. */
function useLinkTrends(
  userId: string,
  data: { pages: readonly { links: readonly LinkRow[] }[] } | undefined,
  canViewClicks: boolean | undefined,
) {
  const isWide = useMedia(wide)
  const ids = useMemo(
    () => (data?.pages ?? []).map((page) => page.links.map(({ id }) => id)),
    [data],
  )
  return useTrends(userId, 'link', ids, isWide && canViewClicks === true)
}

function NoMatchPanel({ search, onClear }: { search: string | undefined; onClear: () => void }) {
  return (
    <StatePanel
      title={search === undefined ? 'No links match these filters' : `No links match “${search}”`}
      action={
        <Button onClick={onClear}>{search === undefined ? 'Clear Filters' : 'Clear Search'}</Button>
      }
    >
      The search looks at short codes and destinations.
    </StatePanel>
  )
}

function EmptyPanel() {
  return (
    <StatePanel
      title="No links yet"
      figure={<Mark size={44} />}
      action={
        <Link to={routes.home.path} className={buttonClass('plain')}>
          Create Link
        </Link>
      }
    >
      Shorten a link and it will show up here.
    </StatePanel>
  )
}
