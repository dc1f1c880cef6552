import { X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { FieldError, verbatim } from '#web/ui/fields/field.tsx'
import { TagChip, TagDot } from './tag-chip.tsx'
import { joinedTags } from './tag-names.ts'
import { tagColorOf } from '#web/api/tags-query.ts'

/** A tag that is suggested. Tags of addresses have no color. */
export interface KnownTag {
  name: string
  color?: string
}

interface TagInputProps {
  known: readonly KnownTag[]
  label: string
  /** Name of the input, by which a form finds it. */
  name: string
  tags: readonly string[]
  text: string
  onChange: (tags: readonly string[], text: string) => void
  error: string | undefined
}

const maxSuggestions = 8

/** A list of tags: Enter or a comma adds the typed name, Backspace removes the last tag. Own tags are suggested. */
export function TagInput({ known, label, name, tags, text, onChange, error }: TagInputProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const suggestions = useSuggestions(known, tags, text)
  const { shown, marked, index } = suggestions

  function add(typed: string) {
    onChange(joinedTags(tags, typed), '')
    suggestions.close()
    input.current?.focus()
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      if (marked === undefined && text.trim() === '') return
      event.preventDefault()
      add(marked?.name ?? text)
    } else if (event.key === 'Backspace' && text === '') onChange(tags.slice(0, -1), '')
    else suggestions.onKeyDown(event)
  }

  const describedBy = [`${id}-hint`, error === undefined ? '' : `${id}-error`].join(' ').trim()
  return (
    <div className="relative grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <div className="flex min-h-11 flex-wrap items-center gap-1.5 rounded-xl border border-edge bg-surface px-2.5 py-1.5 transition-colors duration-150 hover:border-ink-faint has-aria-invalid:border-danger has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-offset-2 has-[input:focus-visible]:outline-[var(--focus)]">
        <ChosenTags
          {...{ known, tags }}
          onRemove={(tag) => {
            onChange(
              tags.filter((other) => other !== tag),
              text,
            )
            input.current?.focus()
          }}
        />
        <input
          ref={input}
          id={id}
          name={name}
          data-first-focus
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={shown.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={marked === undefined ? undefined : `${id}-${index}`}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={describedBy}
          {...verbatim}
          value={text}
          onChange={({ target: { value } }) => {
            const lastComma = value.lastIndexOf(',')
            if (lastComma < 0) onChange(tags, value)
            else onChange(joinedTags(tags, value.slice(0, lastComma)), value.slice(lastComma + 1))
            suggestions.open()
          }}
          onClick={suggestions.open}
          onBlur={suggestions.close}
          onKeyDown={onKeyDown}
          className="h-7 min-w-24 grow bg-transparent text-base outline-none"
        />
      </div>
      <SuggestionList id={id} shown={shown} marked={marked} onChoose={({ name }) => add(name)} />
      <p id={`${id}-hint`} className="text-sm text-ink-faint">
        Enter or a comma adds a tag.
      </p>
      <FieldError id={`${id}-error`} error={error} />
    </div>
  )
}

interface ChosenTagsProps {
  known: readonly KnownTag[]
  tags: readonly string[]
  onRemove: (tag: string) => void
}

function ChosenTags({ known, tags, onRemove }: ChosenTagsProps) {
  return tags.map((tag) => (
    <TagChip key={tag} name={tag} color={tagColorOf(known, tag)}>
      <button
        type="button"
        aria-label={`Remove ${tag}`}
        onClick={() => onRemove(tag)}
        className="-mr-1.5 grid size-6 place-items-center rounded-full text-ink-faint hover:text-ink pointer-coarse:size-8"
      >
        <X size={13} aria-hidden />
      </button>
    </TagChip>
  ))
}

interface SuggestionListProps {
  /** Id of the input. */
  id: string
  shown: readonly KnownTag[]
  marked: KnownTag | undefined
  onChoose: (tag: KnownTag) => void
}

/** The arrow keys of the input choose among them. */
function SuggestionList({ id, shown, marked, onChoose }: SuggestionListProps) {
  const list = useRef<HTMLDivElement>(null)
  const isShown = shown.length > 0
  // The buttons of a dialog cover its lower end.
  useEffect(() => {
    if (isShown) list.current?.scrollIntoView({ block: 'nearest' })
  }, [isShown])
  return (
    <div
      ref={list}
      id={`${id}-list`}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the platform's lists show no colors
      role="listbox"
      aria-label="Your tags"
      className={`absolute inset-x-0 top-full z-10 -mt-6 max-h-60 overflow-y-auto rounded-xl border border-line bg-surface p-1.5 shadow-lift ${isShown ? '' : 'hidden'}`}
    >
      {shown.map((tag, index) => (
        <div
          key={tag.name}
          id={`${id}-${index}`}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- see the list
          role="option"
          tabIndex={-1}
          aria-selected={tag === marked}
          // A press would take the focus from the input, which closes the list.
          onMouseDown={(event) => {
            event.preventDefault()
            onChoose(tag)
          }}
          className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 text-sm hover:bg-sunken aria-selected:bg-sunken pointer-coarse:min-h-11"
        >
          <TagDot color={tag.color} />
          <bdi className="truncate">{tag.name}</bdi>
        </div>
      ))}
    </div>
  )
}

/** Own tags that hold the typed text and are not chosen yet; the arrow keys mark one of them. */
function useSuggestions(known: readonly KnownTag[], tags: readonly string[], text: string) {
  const [isOpen, setOpen] = useState(false)
  const [index, setIndex] = useState(-1)
  const typed = text.trim().toLowerCase()
  const chosen = new Set(tags.map((name) => name.toLowerCase()))
  const shown = isOpen
    ? known
        .filter(({ name }) => !chosen.has(name.toLowerCase()) && name.toLowerCase().includes(typed))
        .slice(0, maxSuggestions)
    : []

  const close = () => {
    setOpen(false)
    setIndex(-1)
  }
  const open = () => {
    setOpen(true)
    setIndex(-1)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape' && shown.length > 0) {
      // Otherwise the dialog closes too.
      event.preventDefault()
      close()
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    if (shown.length === 0) return open()
    const step = event.key === 'ArrowDown' ? 1 : -1
    setIndex((now) => (now < 0 && step < 0 ? shown.length - 1 : now + step) % shown.length)
  }

  return { shown, index, marked: shown[index], open, close, onKeyDown }
}
