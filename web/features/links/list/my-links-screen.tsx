import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { type RefObject, useCallback, useMemo, useRef, useState } from 'react'
import { routes } from '#domain/routes.ts'
import { notices } from '#domain/texts/texts.ts'
import { domainChoicesQuery } from '#web/domains/domain-choices.ts'
import { useRights } from '#web/session/space/rights.ts'
import { useSession } from '#web/session/session.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Mark } from '#web/ui/mark.tsx'
import { QueryList } from '#web/ui/query-list.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useShortcuts } from '#web/ui/hooks/use-shortcuts.ts'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { Checklist, useChecklistReady } from './checklist.tsx'
import { type LinkDialog, LinkDialogs } from './link-dialogs.tsx'
import { LinkList } from './link-list.tsx'
import { LinkListSkeleton } from './link-list-skeleton.tsx'
import { LinkSelectionBar } from './link-selection-bar.tsx'
import { linkKindsQuery } from '../links-query.ts'
import { ListToolbar } from './list-toolbar.tsx'
import { isNarrowed, readListView, withRenamedTag } from './list-view.ts'
import { type TagRow, tagsQuery } from '#web/api/tags-query.ts'
import { useMoveTargets } from '../move/moves-query.ts'
import { useLinkSelection } from './use-link-selection.ts'
import { useMyLinks } from './use-my-links.ts'
import { useRowActions } from './use-row-actions.ts'

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

const noTags: readonly TagRow[] = []
const noHosts: readonly string[] = []
const toolbarAtRest = {
  typed: '',
  view: readListView({}),
  canViewClicks: undefined,
  kinds: undefined,
  tags: [],
  hosts: [],
  onManageTags: () => {},
  onType: () => {},
  onClear: () => {},
  onChange: () => {},
}

/** The parts of the screen that get the focus. */
function useListFocus() {
  const list = useRef<HTMLUListElement>(null)
  const searchField = useRef<HTMLInputElement>(null)
  const createLink = useRef<HTMLAnchorElement>(null)
  // The button that was pressed leaves with its row; the focus goes to the rest.
  const focusRest = useCallback(() => {
    requestAnimationFrame(() =>
      (list.current ?? searchField.current ?? createLink.current)?.focus({ preventScroll: true }),
    )
  }, [])
  return { list, searchField, createLink, focusRest }
}

/** The values of the filters that depend on the account, and whether links can move to another one. */
function useChoices(userId: string) {
  const kinds = useQuery(linkKindsQuery(userId)).data
  const tags = useQuery(tagsQuery(userId)).data ?? noTags
  const hosts = useQuery(domainChoicesQuery(userId)).data?.map(({ host }) => host) ?? noHosts
  const canMove = useMoveTargets(userId).length > 0
  return { kinds, tags, hosts, canMove }
}

function MyLinks({ userId, email }: { userId: string; email: string }) {
  const { typed, setTyped, view, setView, canViewClicks, query, links, trends, countWords } =
    useMyLinks(userId)
  const { kinds, tags, hosts, canMove } = useChoices(userId)
  const { selectedLinks, toggle, selectAll, clear } = useLinkSelection(links)
  const selected = useMemo(() => new Set(selectedLinks.map(({ id }) => id)), [selectedLinks])
  const [dialog, setDialog] = useState<LinkDialog>()
  const { list, searchField, createLink, focusRest } = useListFocus()
  const actions = useRowActions(setDialog, toggle, focusRest)
  const endSelection = () => {
    clear()
    focusRest()
  }
  const createdId = useRouterState({ select: ({ location }) => location.state.createdLink })

  const clearView = useCallback(() => {
    setTyped('')
    setView(({ sort }) => readListView({ sort }))
    searchField.current?.focus()
  }, [searchField, setTyped, setView])

  useShortcuts({ '/': () => searchField.current?.focus() })

  const isChecklistReady = useChecklistReady(userId)
  const isSettled = isChecklistReady && !query.isPending && !query.isPlaceholderData
  const isEmpty = isSettled && links.length === 0 && !isNarrowed(view) && typed === ''
  const isKnown = query.data !== undefined && (links.length > 0 ? isChecklistReady : isSettled)

  return (
    <Screen title="My Links" count={<CountAndMissed count={countWords()} kinds={kinds} />}>
      {isEmpty ? null : (
        <ListToolbar
          {...{ typed, view, canViewClicks, kinds, tags, hosts, searchField }}
          onManageTags={() => setDialog({ kind: 'manage-tags' })}
          onType={setTyped}
          onClear={() => {
            setTyped('')
            searchField.current?.focus()
          }}
          onChange={setView}
        />
      )}
      <output className="sr-only">
        {isNarrowed(view) && isSettled ? foundWords(links.length) : ''}
      </output>
      {/* Both at once: whichever came first would be pushed by the other. */}
      {query.isPending ? null : <Checklist {...{ userId, email }} onDismissed={focusRest} />}
      <QueryList
        query={query}
        rows={isKnown ? links : undefined}
        loading={null}
        skeleton={<LinkListSkeleton label="Loading your links" />}
        failed={notices.loadFailed}
        empty={
          isNarrowed(view) ? (
            <NoMatchPanel search={view.q} onClear={clearView} />
          ) : (
            <EmptyPanel ref={createLink} />
          )
        }
      >
        {() => (
          <>
            <LinkList
              ref={list}
              {...{ links, canViewClicks, trends, tags, selected, createdId, actions }}
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
        <LinkSelectionBar
          links={selectedLinks}
          {...{ loaded: links.length, canMove }}
          onSelectAll={() => selectAll(links)}
          onDialog={(kind) => setDialog({ kind, links: selectedLinks })}
          onArchived={endSelection}
          onClear={endSelection}
        />
      )}
      <LinkDialogs
        {...{ userId, dialog, onMoved: endSelection }}
        onOpen={setDialog}
        onClose={() => setDialog(undefined)}
        onTagRenamed={(before, name) => setView((now) => withRenamedTag(now, before, name))}
        onDeleted={(gone) => {
          setDialog((now) => (now?.kind === 'delete' && now.links === gone ? undefined : now))
          endSelection()
        }}
      />
    </Screen>
  )
}

function foundWords(count: number): string {
  return `${count} ${count === 1 ? 'link' : 'links'} found`
}

interface CountAndMissedProps {
  count: string | undefined
  kinds: { findings: boolean } | undefined
}

/** Few people need the missing codes and codes that are not links, and those look here. */
function CountAndMissed({ count, kinds }: CountAndMissedProps) {
  const may = useRights()
  return (
    <span className="flex flex-wrap items-baseline gap-x-3">
      <span>{count}</span>
      <Link
        to={routes.missedCodes.path}
        className="text-sm underline-offset-4 hover:text-ink hover:underline"
      >
        Missing codes
      </Link>
      {kinds?.findings === true ? (
        <Link
          to={routes.linkHealth.path}
          className="text-sm underline-offset-4 hover:text-ink hover:underline"
        >
          Broken destinations
        </Link>
      ) : null}
      {may('links:write') ? (
        <Link
          to={routes.imports.path}
          className="text-sm underline-offset-4 hover:text-ink hover:underline"
        >
          Import
        </Link>
      ) : null}
      <Link
        to={routes.qrStudio.path}
        className="text-sm underline-offset-4 hover:text-ink hover:underline"
      >
        Static QR code
      </Link>
    </span>
  )
}

function NoMatchPanel({ search, onClear }: { search: string | undefined; onClear: () => void }) {
  return (
    <StatePanel
      title={search === undefined ? 'No links match these filters' : `No links match “${search}”`}
      action={
        <Button onClick={onClear}>{search === undefined ? 'Clear Filters' : 'Clear Search'}</Button>
      }
    >
      The search looks at titles, short codes and destinations.
    </StatePanel>
  )
}

function EmptyPanel({ ref }: { ref: RefObject<HTMLAnchorElement | null> }) {
  const may = useRights()
  if (!may('links:write'))
    return (
      <StatePanel title="No links yet" figure={<Mark size={44} />}>
        Links of the space will appear here.
      </StatePanel>
    )
  return (
    <StatePanel
      title="No links yet"
      figure={<Mark size={44} />}
      action={
        <Link ref={ref} to={routes.home.path} className={buttonClass('plain')}>
          Create Link
        </Link>
      }
    >
      Your links will appear here. <Link to={routes.imports.path}>Import them</Link> from another
      service.
    </StatePanel>
  )
}
