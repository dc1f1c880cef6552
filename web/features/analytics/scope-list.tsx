import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReportScope } from '#web/clicks/report.ts'
import { LinkName } from '#web/link-name.tsx'
import { type CommandLine, CommandList } from '#web/ui/menus/command-list.tsx'
import {
  accountChoice,
  bioChoicesQuery,
  firstTags,
  linkChoicesQuery,
  type ScopeChoice,
  tagChoicesQuery,
} from './scope-queries.ts'

interface ScopeListProps {
  userId: string
  onPick: (about: ReportScope) => void
}

/** Everything that has a separate report, found by name. */
export function ScopeList({ userId, onPick }: ScopeListProps) {
  const [typed, setTyped] = useState('')
  const words = typed.trim()
  const pages = useQuery(bioChoicesQuery(userId)).data ?? []
  const tags = useQuery(tagChoicesQuery(userId)).data ?? []
  const links = useQuery(linkChoicesQuery(userId, words))
  const matches = ({ name }: ScopeChoice) => name.toLowerCase().includes(words.toLowerCase())
  const lineOf = (choice: ScopeChoice) => commandLine(choice, onPick)
  return (
    <CommandList
      label="Scope"
      placeholder="Find a link, page or tag"
      typed={typed}
      onType={setTyped}
      empty={links.isFetching ? 'Searching your links…' : `Nothing matches “${words}”`}
      groups={[
        { name: '', lines: [accountChoice].filter(matches).map(lineOf) },
        { name: 'Bio page', lines: pages.filter(matches).map(lineOf) },
        { name: 'Tags', lines: firstTags(tags.filter(matches), words).map(lineOf) },
        { name: 'Links', lines: (links.data ?? []).map(lineOf) },
      ]}
    />
  )
}

function commandLine(
  { about, name, note, link }: ScopeChoice,
  onPick: ScopeListProps['onPick'],
): CommandLine {
  return {
    key: `${about.scope} ${'id' in about ? about.id : ''}`,
    run: () => onPick(about),
    content: (
      <>
        {link === undefined ? (
          <bdi className="max-w-[60%] shrink-0 truncate">{name}</bdi>
        ) : (
          <LinkName {...link} isInline className="max-w-[60%] shrink-0" />
        )}
        <bdi className="min-w-0 grow truncate text-right text-sm text-ink-faint">{note}</bdi>
      </>
    ),
  }
}
