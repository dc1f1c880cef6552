import { Search, X } from 'lucide-react'
import type { RefObject } from 'react'
import { IconButton } from '#web/ui/button.tsx'
import { inputClass, verbatim } from '#web/ui/fields/field.tsx'
import { Key } from '#web/ui/key.tsx'
import {
  type ListFilter,
  listFilters,
  type ListOrder,
  listOrders,
  type ListView,
  readListView,
  tagsOfView,
} from './list-view.ts'
import { DensitySwitch } from './density-switch.tsx'
import { DomainFilter } from './domain-filter.tsx'
import { TagFilter } from './tag-filter.tsx'
import type { TagRow } from '#web/api/tags-query.ts'

const orderNames: Record<ListOrder, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  clicks: 'Most clicked',
  code: 'By code',
}
const filterNames: Record<ListFilter, string> = {
  popup: 'With popup',
  unclicked: 'No clicks yet',
  off: 'Off',
  blocked: 'Blocked',
  archived: 'Archived',
}
/** Filters that only accounts with such links need. */
const rareFilters: readonly ListFilter[] = ['off', 'blocked', 'archived']
const clicksReason = 'Click counts are part of Pro and Business.'

interface ListToolbarProps {
  typed: string
  onType: (typed: string) => void
  onClear: () => void
  view: ListView
  onChange: (change: (view: ListView) => ListView) => void
  canViewClicks: boolean | undefined
  /** Whether the account has links that are off, blocked, or archived: others need no such filter. */
  kinds: Partial<Record<ListFilter, boolean>> | undefined
  tags: readonly TagRow[]
  /** The domains of the account. */
  hosts: readonly string[]
  onManageTags: () => void
  searchField?: RefObject<HTMLInputElement | null>
}

/** Search, filters and order of My Links. */
export function ListToolbar(props: ListToolbarProps) {
  const { typed, onType, onClear, view, onChange, canViewClicks, kinds, tags, hosts, searchField } =
    props
  const filters = listFilters.filter(
    (filter) => view[filter] === true || !rareFilters.includes(filter) || kinds?.[filter],
  )
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <div className="relative min-w-0 grow basis-full rail:w-52 rail:basis-auto xl:w-72 xl:grow-0">
        <Search
          size={17}
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-3.5 -translate-y-1/2 text-ink-faint"
        />
        <input
          ref={searchField}
          type="search"
          aria-label="Search links"
          aria-keyshortcuts="/"
          placeholder="Search by title, code or destination"
          {...verbatim}
          value={typed}
          onChange={(event) => onType(event.target.value)}
          className={`${inputClass} px-10! pointer-fine:text-sm! text-ellipsis [&::-webkit-search-cancel-button]:hidden`}
        />
        {typed === '' ? (
          <Key className="pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 text-ink-faint max-rail:hidden">
            /
          </Key>
        ) : (
          <IconButton
            label="Clear search field"
            onClick={onClear}
            className="absolute top-0.5 right-0.5 pointer-coarse:top-0"
          >
            <X size={17} aria-hidden />
          </IconButton>
        )}
      </div>
      {/* One line: plan and tags are known later, and must not push the list down. */}
      <fieldset className="relative -m-1 flex min-w-0 grow basis-0 gap-1.5 overflow-x-auto mask-r-from-[calc(100%-1.5rem)] p-1 pr-6 [scrollbar-width:none] rail:max-xl:order-last rail:max-xl:basis-full">
        <legend className="sr-only">Filters</legend>
        {filters.map((filter) => (
          <FilterChip
            key={filter}
            name={filterNames[filter]}
            isOn={view[filter] === true}
            refusal={filter === 'unclicked' && canViewClicks === false ? clicksReason : undefined}
            onPress={() =>
              onChange((now) => readListView({ ...now, [filter]: now[filter] !== true }))
            }
          />
        ))}
        <DomainFilter
          hosts={hosts}
          chosen={view.domain}
          onChoose={(domain) => onChange((now) => readListView({ ...now, domain }))}
        />
        <TagFilter
          tags={tags}
          chosen={tagsOfView(view)}
          onChoose={(tag) => onChange((now) => readListView({ ...now, tag }))}
          onManage={props.onManageTags}
        />
      </fieldset>
      <div className="ml-auto flex shrink-0 items-center gap-2">
        <label>
          <span className="sr-only">Order</span>
          <select
            value={view.sort ?? 'newest'}
            onChange={(event) => {
              const sort = event.target.value
              onChange((now) => readListView({ ...now, sort }))
            }}
            className="h-9 w-34 rounded-xl border border-line bg-surface max-rail:h-11 pr-1 pl-2.5 text-sm text-ink-soft hover:border-edge pointer-coarse:h-11"
          >
            {listOrders.map((order) => {
              const isRefused = order === 'clicks' && canViewClicks === false
              return (
                <option key={order} value={order} disabled={isRefused}>
                  {isRefused ? `${orderNames[order]} (Pro and Business)` : orderNames[order]}
                </option>
              )
            })}
          </select>
        </label>
        <DensitySwitch />
      </div>
    </div>
  )
}

interface FilterChipProps {
  name: string
  isOn: boolean
  /** Why it cannot be had. */
  refusal: string | undefined
  onPress: () => void
}

function FilterChip({ name, isOn, refusal, onPress }: FilterChipProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      disabled={refusal !== undefined}
      title={refusal}
      onClick={onPress}
      className={
        'h-9 shrink-0 rounded-full border px-3 text-sm whitespace-nowrap transition-colors duration-150 disabled:cursor-not-allowed disabled:border-dashed pointer-coarse:h-11 ' +
        (isOn
          ? 'border-ink bg-ink text-paper'
          : 'border-line text-ink-soft not-disabled:hover:border-edge not-disabled:hover:text-ink')
      }
    >
      {name}
      {refusal === undefined ? null : (
        <>
          <span aria-hidden className="ml-1.5 text-xs text-ink-faint">
            Pro
          </span>
          <span className="sr-only">. {refusal}</span>
        </>
      )}
    </button>
  )
}
