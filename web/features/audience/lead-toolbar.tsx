import { Search } from 'lucide-react'
import { inputClass, verbatim } from '#web/ui/fields/field.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { useTypedSearch } from '#web/ui/hooks/use-typed-search.ts'
import type { LeadFilter } from './leads-query.ts'

interface LeadToolbarProps {
  filter: LeadFilter
  titles: ReadonlyMap<string, string>
  tags: readonly string[]
  /** After filters were cleared: the pressed button has left with the list. */
  takesFocus: boolean
  onChange: (part: Partial<LeadFilter>) => void
}

/** Search, and the popup and tag that the list is narrowed to. */
export function LeadToolbar({ filter, titles, tags, takesFocus, onChange }: LeadToolbarProps) {
  const [typed, setTyped] = useTypedSearch(filter.search, (search) => onChange({ search }))
  return (
    <div className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,1fr)]">
      <div className="relative max-sm:col-span-2">
        <Search
          size={18}
          aria-hidden
          className="pointer-events-none absolute top-3 left-3.5 text-ink-faint"
        />
        <input
          type="search"
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- it takes the place of the pressed button
          autoFocus={takesFocus}
          aria-label="Search addresses"
          placeholder="Search addresses"
          {...verbatim}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className={`${inputClass} pl-10!`}
        />
      </div>
      <SelectField
        label="Popup"
        hideLabel
        options={[
          { value: '', label: 'All popups' },
          ...[...titles].map(([value, label]) => ({ value, label })),
        ]}
        value={filter.popup}
        onChange={(popup) => onChange({ popup })}
      />
      <SelectField
        label="Tag"
        hideLabel
        options={[
          { value: '', label: 'All tags' },
          ...tags.map((tag) => ({ value: tag, label: tag })),
        ]}
        value={filter.tag}
        onChange={(tag) => onChange({ tag })}
      />
    </div>
  )
}
