import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Search, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { routes } from '#domain/routes.ts'
import { notices } from '#domain/texts.ts'
import { usePlan } from '#web/plan/plan.ts'
import { useSession } from '#web/session/session.ts'
import { Button, buttonClass, IconButton } from '#web/ui/button.tsx'
import { inputClass } from '#web/ui/field.tsx'
import { Loading, Mark } from '#web/ui/mark.tsx'
import { notifyError } from '#web/ui/notify.ts'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useTitle } from '#web/ui/use-title.ts'
import { useDeleteLink } from './change-link.ts'
import { Checklist } from './checklist.tsx'
import { DeleteLinkDialog } from './delete-link-dialog.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { LinkList } from './link-list.tsx'
import type { LinkRow } from '#web/database.ts'
import { linksQuery } from './links-query.ts'
import { useLinkSearch } from './use-link-search.ts'

export function MyLinksScreen() {
  useTitle('My Links · Hoplet')
  const session = useSession()
  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-10 sm:px-6 sm:py-14">
      {session.status === 'signed-in' ? (
        <MyLinks key={session.userId} userId={session.userId} />
      ) : (
        <Loading label="Loading your links" />
      )}
    </div>
  )
}

function MyLinks({ userId }: { userId: string }) {
  const { typed, search, setTyped } = useLinkSearch()
  const query = useInfiniteQuery(linksQuery(userId, search))
  const canViewClicks = usePlan(userId)?.limits.canViewClicks
  const deleteLink = useDeleteLink()
  const [editing, setEditing] = useState<LinkRow>()
  const [deleting, setDeleting] = useState<LinkRow>()
  const list = useRef<HTMLUListElement>(null)
  const searchField = useRef<HTMLInputElement>(null)

  const links = useMemo(() => query.data?.pages.flatMap((page) => page.links) ?? [], [query.data])

  useEffect(() => {
    if (query.isError) notifyError(notices.loadFailed)
  }, [query.isError, query.errorUpdatedAt])

  function clearSearch() {
    setTyped('')
    searchField.current?.focus()
  }

  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-4">
        <h1 className="text-3xl font-semibold tracking-[-0.03em] sm:text-4xl">My Links</h1>
        <Link to={routes.home.path} className={buttonClass('accent')}>
          <Plus size={18} aria-hidden />
          Create Link
        </Link>
      </div>
      <Checklist userId={userId} onDismissed={() => searchField.current?.focus()} />
      <div className="relative mt-6 mb-6">
        <Search
          size={18}
          aria-hidden
          className="pointer-events-none absolute top-3.5 left-4 text-ink-faint"
        />
        <input
          ref={searchField}
          type="search"
          aria-label="Search links"
          placeholder="Search by short code or destination"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className={`${inputClass} rounded-full! px-11 [&::-webkit-search-cancel-button]:hidden`}
        />
        {typed === '' ? null : (
          <IconButton
            label="Clear the search field"
            onClick={clearSearch}
            className="absolute top-0.5 right-0.5"
          >
            <X size={17} aria-hidden />
          </IconButton>
        )}
      </div>
      <output className="sr-only">
        {search === '' || query.isPending || query.isPlaceholderData
          ? ''
          : `${links.length} ${links.length === 1 ? 'link' : 'links'} found`}
      </output>
      {query.isPending || (query.isPlaceholderData && links.length === 0) ? (
        <Loading label="Loading your links" />
      ) : links.length > 0 ? (
        <LinkList
          ref={list}
          links={links}
          canViewClicks={canViewClicks}
          onEdit={setEditing}
          onDelete={setDeleting}
          onEndNear={() => {
            if (
              query.hasNextPage &&
              !query.isPlaceholderData &&
              !query.isFetching &&
              !query.isError
            )
              void query.fetchNextPage()
          }}
        />
      ) : query.isError ? null : search === '' ? (
        <EmptyPanel />
      ) : (
        <StatePanel
          title={`No links match “${search}”`}
          action={<Button onClick={clearSearch}>Clear Search</Button>}
        >
          The search looks at short codes and destinations.
        </StatePanel>
      )}
      {query.isFetchingNextPage ? <Loading label="Loading more links" /> : null}
      {query.isError ? (
        <div className="mt-6">
          <StatePanel
            role="alert"
            title={notices.loadFailed.description}
            action={
              <Button
                onClick={() =>
                  void (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch())
                }
              >
                Try Again
              </Button>
            }
          />
        </div>
      ) : null}
      <EditDialog link={editing} userId={userId} onClose={() => setEditing(undefined)} />
      <DeleteLinkDialog
        link={deleting}
        busy={deleteLink.isPending}
        onClose={() => setDeleting(undefined)}
        onConfirm={(link) =>
          deleteLink.mutate(link, {
            onSuccess: () => {
              setDeleting(undefined)
              // The button that opened the dialog has left with its row; the focus goes to what is left.
              requestAnimationFrame(() =>
                (list.current ?? searchField.current)?.focus({ preventScroll: true }),
              )
            },
          })
        }
      />
    </>
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
      Shorten your first address, and it will be kept here.
    </StatePanel>
  )
}
