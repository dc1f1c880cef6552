import { Search, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { IconButton } from '#web/ui/button.tsx'
import { inputClass } from '#web/ui/field.tsx'

interface SearchFieldProps {
  label: string
  placeholder: string
  /** The present search. */
  value: string
  /** Called a moment after the last letter. */
  onSearch: (value: string) => void
}

export function SearchField({ label, placeholder, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  const field = useRef<HTMLInputElement>(null)
  const search = useRef(onSearch)
  useEffect(() => {
    search.current = onSearch
  })

  // The value can change from outside: Clear Search, or the browser's Back.
  const asked = useRef(value)
  useEffect(() => {
    if (value !== asked.current) setTyped(value)
    asked.current = value
  }, [value])

  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === asked.current) return
    const timer = setTimeout(
      () => {
        asked.current = wanted
        search.current(wanted)
      },
      // Clearing needs no waiting for the next letter.
      wanted === '' ? 0 : 250,
    )
    return () => clearTimeout(timer)
  }, [typed])

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
        autoComplete="off"
        spellCheck={false}
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
