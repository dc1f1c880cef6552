import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Braces, Download, Settings2, Tag, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { audienceNotices } from '#domain/texts/audience-texts.ts'
import { routes } from '#domain/routes.ts'
import { useRights } from '#web/session/space/rights.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import type { AudienceFacts, LeadRow } from '#web/api/database.ts'
import { useSession } from '#web/session/session.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Mark } from '#web/ui/mark.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { QueryList } from '#web/ui/query-list.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { SelectionBar } from '#web/ui/selection-bar.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { DeleteLeadsDialog } from './delete-leads-dialog.tsx'
import { saveChosenAsCsv, saveLeadsAsCsv, saveLeadsAsJson } from './export-leads.ts'
import { AudienceSettingsDialog } from './lead-dialogs.tsx'
import { leadCardClass, LeadList } from './lead-list.tsx'
import { LeadToolbar } from './lead-toolbar.tsx'
import { audienceQuery, type LeadFilter, leadsQuery, popupTitlesQuery } from './leads-query.ts'
import { TagLeadsDialog } from './tag-leads-dialog.tsx'

const intro = 'Email addresses from your popups'

export function AudienceScreen() {
  useTitle('Audience · Hoplet')
  const session = useSession()
  if (session.status === 'signed-in')
    return <Audience key={session.userId} userId={session.userId} />
  return (
    <Screen title="Audience" intro={intro}>
      <Skeleton />
    </Screen>
  )
}

const everything: LeadFilter = { search: '', popup: '', tag: '' }
const noTitles: ReadonlyMap<string, string> = new Map()

function Audience({ userId }: { userId: string }) {
  const [filter, setFilter] = useState(everything)
  const [clearings, setClearings] = useState(0)
  const { data: facts, isPending } = useQuery(audienceQuery(userId))
  const titles = useQuery(popupTitlesQuery(userId)).data ?? noTitles
  const [settings, setSettings] = useState<AudienceFacts>()
  const csv = useAction(async () => {
    await saveLeadsAsCsv(userId, filter, titles).catch(() => notifyError(audienceNotices.csvFailed))
  })
  return (
    <Screen
      title="Audience"
      count={
        facts === undefined || facts.leads === 0 ? undefined : facts.leads.toLocaleString('en-US')
      }
      intro={intro}
      actions={
        <div className="flex gap-2 max-rail:*:px-3.5">
          <Button busy={csv.busy} disabled={facts?.leads === 0} onClick={csv.run}>
            <Download size={17} aria-hidden />
            <span className="max-rail:sr-only">{csv.busy ? 'Exporting...' : 'Export CSV'}</span>
          </Button>
          <Allowed right="owner">
            <Button disabled={facts === undefined} onClick={() => setSettings(facts)}>
              <Settings2 size={17} aria-hidden />
              <span className="max-rail:sr-only">Settings</span>
            </Button>
          </Allowed>
        </div>
      }
    >
      {facts?.leads === 0 ? null : (
        <LeadToolbar
          // Without filters, no search is typed either.
          key={clearings}
          filter={filter}
          titles={titles}
          tags={facts?.tags ?? []}
          takesFocus={clearings > 0}
          onChange={(part) => setFilter((before) => ({ ...before, ...part }))}
        />
      )}
      <Leads
        // Without the fields above it is another list, and not one that moves.
        key={JSON.stringify({ ...filter, isEmpty: facts?.leads === 0 })}
        userId={userId}
        filter={filter}
        titles={titles}
        facts={facts}
        isWaiting={isPending}
        onClear={() => {
          setFilter(everything)
          setClearings((before) => before + 1)
        }}
      />
      <AudienceSettingsDialog
        userId={userId}
        facts={settings}
        onClose={() => setSettings(undefined)}
      />
    </Screen>
  )
}

function FullNote({ facts }: { facts: AudienceFacts }) {
  return (
    <output className="mb-4 block rounded-xl border border-line bg-sunken px-4 py-3 text-sm">
      {`${facts.left_out.toLocaleString('en-US')} addresses found no room. Delete some addresses.`}
    </output>
  )
}

interface LeadsProps {
  userId: string
  filter: LeadFilter
  titles: ReadonlyMap<string, string>
  facts: AudienceFacts | undefined
  /** Whether it is not known yet if there are addresses: the fields above depend on that. */
  isWaiting: boolean
  onClear: () => void
}

function Leads({ userId, filter, titles, facts, isWaiting, onClear }: LeadsProps) {
  const query = useInfiniteQuery(leadsQuery(userId, filter))
  const rows = query.data?.pages.flat() ?? []
  /** Rows that leave the list leave the selection, and the question about them. */
  const remaining = (leads: readonly LeadRow[] = []) => {
    const ids = new Set(leads.map(({ id }) => id))
    const left = rows.filter(({ id }) => ids.has(id))
    return left.length === 0 ? undefined : left
  }
  const [chosen, setChosen] = useState<readonly LeadRow[]>([])
  const selected = remaining(chosen)
  const [tagging, setTagging] = useState<readonly LeadRow[]>()
  const [deleting, setDeleting] = useState<readonly LeadRow[]>()
  const question = remaining(deleting)
  const isOwner = useRights()('owner')
  const list = useRef<HTMLDivElement>(null)
  const isNarrowed = Object.values(filter).some((value) => value !== '')
  const focusList = () => requestAnimationFrame(() => list.current?.focus({ preventScroll: true }))
  const finish = () => {
    setChosen([])
    setTagging(undefined)
    focusList()
  }
  return (
    <div ref={list} tabIndex={-1} data-quiet-focus>
      <QueryList
        query={query}
        rows={isWaiting ? undefined : query.data?.pages.flat()}
        loading="Loading addresses"
        skeleton={<Skeleton />}
        failed={audienceNotices.loadFailed}
        empty={isNarrowed ? <NoMatch onClear={onClear} /> : <Empty />}
        more={{ label: 'Show More' }}
      >
        {(leads) => (
          <>
            {/* With the list, so that it pushes nothing. */}
            {facts === undefined || facts.left_out === 0 ? null : <FullNote facts={facts} />}
            <LeadList
              leads={leads}
              titles={titles}
              selected={new Set(selected?.map(({ id }) => id))}
              onSelect={(lead, isSelected) =>
                setChosen((before) =>
                  isSelected ? [...before, lead] : before.filter(({ id }) => id !== lead.id),
                )
              }
            />
          </>
        )}
      </QueryList>
      {selected === undefined ? null : (
        <SelectionBar
          label="Selected addresses"
          count={selected.length}
          loaded={rows.length}
          onSelectAll={() => setChosen(rows)}
          actions={[
            { name: 'Tag', Icon: Tag, run: () => setTagging(selected) },
            {
              name: 'Export CSV',
              shortName: 'CSV',
              Icon: Download,
              run: () => saveChosenAsCsv(selected, titles),
            },
            {
              name: 'Export JSON',
              shortName: 'JSON',
              Icon: Braces,
              run: () => saveLeadsAsJson(selected),
            },
            // Erasing addresses is for owners.
            ...(isOwner
              ? [{ name: 'Delete', Icon: Trash2, run: () => setDeleting(selected) }]
              : []),
          ]}
          onClear={finish}
        />
      )}
      <TagLeadsDialog
        userId={userId}
        leads={tagging}
        tags={facts?.tags ?? []}
        onSaved={finish}
        onClose={() => setTagging(undefined)}
      />
      <DeleteLeadsDialog
        userId={userId}
        leads={question}
        onDeleted={() => {
          setDeleting((now) => (now === deleting ? undefined : now))
          focusList()
        }}
        onClose={() => setDeleting(undefined)}
      />
    </div>
  )
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return <StatePanel title="No matches" action={<Button onClick={onClear}>Clear Filters</Button>} />
}

function Empty() {
  return (
    <StatePanel
      title="No addresses yet"
      figure={<Mark size={44} />}
      action={
        <Link to={routes.popupGenerator.path} className={buttonClass('plain')}>
          Create Popup
        </Link>
      }
    >
      Popups that collect emails fill this list.
    </StatePanel>
  )
}

function Skeleton() {
  return (
    <div aria-hidden className={leadCardClass}>
      {[0, 1, 2, 3, 4].map((row) => (
        <div
          key={row}
          className="flex h-16 animate-pulse items-center gap-3 border-t border-line px-3 first:border-t-transparent"
        >
          <span className="size-5 rounded-md bg-sunken" />
          <span className="grid grow gap-2">
            <span className="h-4 w-1/3 rounded-md bg-sunken" />
            <span className="h-3 w-1/4 rounded-md bg-sunken" />
          </span>
        </div>
      ))}
    </div>
  )
}
