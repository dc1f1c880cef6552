import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import type { ReportScope } from '#web/clicks/report.ts'
import {
  accountChoice,
  bioChoicesQuery,
  linkChoicesQuery,
  type ScopeChoice,
} from './scope-queries.ts'

interface ScopeListProps {
  userId: string
  onPick: (about: ReportScope) => void
}

/** Everything that has a report of its own, found by name. */
export function ScopeList({ userId, onPick }: ScopeListProps) {
  const [typed, setTyped] = useState('')
  const [marked, setMarked] = useState('')
  const field = useRef<HTMLInputElement>(null)
  // The dialog was open before this came.
  useEffect(() => field.current?.focus(), [])
  const words = useDeferredValue(typed.trim())
  const pages = useQuery(bioChoicesQuery(userId)).data ?? []
  const links = useQuery(linkChoicesQuery(userId, words))
  const matches = ({ name }: ScopeChoice) => name.toLowerCase().includes(words.toLowerCase())
  const groups = [
    { name: '', choices: [accountChoice].filter(matches) },
    { name: 'Bio page', choices: pages.filter(matches) },
    { name: 'Links', choices: links.data ?? [] },
  ]
  // The first line is marked when the marked one is no longer there: links come later than what was typed.
  const lines = groups.flatMap(({ choices }) => choices)
  const current = lines.find((choice) => keyOf(choice) === marked) ?? lines[0]
  return (
    <Command
      shouldFilter={false}
      label="Whose clicks to show"
      loop
      value={current === undefined ? '' : keyOf(current)}
      onValueChange={setMarked}
      // cmdk marks a line some time after the lines have changed, and would choose one that is gone.
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
        event.preventDefault()
        if (current !== undefined) onPick(current.about)
      }}
      className="flex min-h-0 flex-col"
    >
      <Command.Input
        ref={field}
        value={typed}
        onValueChange={(text) => {
          setTyped(text)
          setMarked('')
        }}
        placeholder="Find a link or page"
        className="h-14 w-full shrink-0 border-b border-line bg-transparent px-5 text-base outline-none"
      />
      <Command.List className="h-[min(60dvh,26rem)] overflow-y-auto overscroll-contain p-2">
        <Command.Empty className="px-3 py-10 text-center text-ink-soft">
          {links.isFetching ? 'Searching your links…' : `Nothing matches “${words}”`}
        </Command.Empty>
        {groups.map(({ name, choices }) =>
          choices.length === 0 ? null : (
            <Command.Group
              key={name}
              heading={name === '' ? undefined : name}
              className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2.5 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-faint"
            >
              {choices.map((choice) => (
                <Choice key={keyOf(choice)} choice={choice} onPick={onPick} />
              ))}
            </Command.Group>
          ),
        )}
      </Command.List>
    </Command>
  )
}

function keyOf({ about }: ScopeChoice): string {
  return `${about.scope} ${'id' in about ? about.id : ''}`
}

interface ChoiceProps {
  choice: ScopeChoice
  onPick: (about: ReportScope) => void
}

function Choice({ choice, onPick }: ChoiceProps) {
  const { about, name, note } = choice
  return (
    <Command.Item
      value={keyOf(choice)}
      onSelect={() => onPick(about)}
      className="flex min-h-11 cursor-pointer items-center gap-3 rounded-xl px-3 data-[selected=true]:bg-sunken"
    >
      <bdi className={`max-w-[60%] shrink-0 truncate ${about.scope === 'link' ? 'font-mono' : ''}`}>
        {name}
      </bdi>
      <bdi className="min-w-0 grow truncate text-right text-sm text-ink-faint">{note}</bdi>
    </Command.Item>
  )
}
