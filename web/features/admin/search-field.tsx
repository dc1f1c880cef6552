import { Search, X } from 'lucide-react'
import { useRef } from 'react'
import { IconButton } from '#web/ui/button.tsx'
import { inputClass, verbatim } from '#web/ui/fields/field.tsx'
import { useTypedSearch } from '#web/ui/hooks/use-typed-search.ts'

interface SearchFieldProps {
  label: string
  placeholder: string
  /** The present search. */
  value: string
  /** Called a moment after the last letter. */
  onSearch: (value: string) => void
}

export function SearchField({ label, placeholder, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useTypedSearch(value, onSearch)
  const field = useRef<HTMLInputElement>(null)
  return (
    <div className="relative">
      <Search
        size={18}
        aria-hidden
        className="pointer-events-none absolute top-3.5 left-4 text-ink-faint"
      />
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        {...verbatim}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className={`${inputClass} rounded-full! px-11 [&::-webkit-search-cancel-button]:hidden`}
      />
      {typed === '' ? null : (
        <IconButton
          label="Clear search field"
          onClick={() => {
            setTyped('')
            field.current?.focus()
          }}
          className="absolute top-0.5 right-0.5"
        >
          <X size={17} aria-hidden />
        </IconButton>
      )}
    </div>
  )
}
