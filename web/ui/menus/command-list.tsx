import { Command } from 'cmdk'
import { type ReactNode, useEffect, useRef, useState } from 'react'

export interface CommandLine {
  /** Unique among all lines. */
  key: string
  content: ReactNode
  run: () => void
}

interface CommandListProps {
  label: string
  placeholder: string
  typed: string
  onType: (text: string) => void
  groups: readonly { name: string; lines: readonly CommandLine[] }[]
  /** In place of groups. */
  empty: string
}

/** A field and what it finds, for a dialog of the shape `palette`: arrow keys choose a line, Enter runs it. */
export function CommandList(props: CommandListProps) {
  const { label, placeholder, typed, onType, groups, empty } = props
  const [marked, setMarked] = useState('')
  const field = useRef<HTMLInputElement>(null)
  // The dialog may have been open before this came.
  useEffect(() => field.current?.focus(), [])
  // The first line is marked when the marked one is no longer there: links come later than what was typed.
  const lines = groups.flatMap((group) => group.lines)
  const current = lines.find(({ key }) => key === marked) ?? lines[0]
  return (
    <Command
      shouldFilter={false}
      label={label}
      loop
      value={current?.key ?? ''}
      onValueChange={setMarked}
      // cmdk marks a line some time after the lines have changed, and would choose one that is gone.
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
        event.preventDefault()
        current?.run()
      }}
      className="flex min-h-0 flex-col"
    >
      <Command.Input
        ref={field}
        data-first-focus
        value={typed}
        onValueChange={(text) => {
          onType(text)
          setMarked('')
        }}
        placeholder={placeholder}
        className="h-14 w-full shrink-0 border-b border-line bg-transparent px-5 text-base outline-none"
      />
      <Command.List className="h-[min(60dvh,26rem)] overflow-y-auto overscroll-contain p-2">
        <Command.Empty className="px-3 py-10 text-center text-ink-soft">{empty}</Command.Empty>
        {groups.map(({ name, lines: some }) =>
          some.length === 0 ? null : (
            <Command.Group
              key={name}
              heading={name === '' ? undefined : name}
              className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2.5 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-faint"
            >
              {some.map(({ key, content, run }) => (
                <Command.Item
                  key={key}
                  value={key}
                  onSelect={run}
                  className="flex min-h-11 cursor-pointer items-center gap-3 rounded-xl px-3 data-[selected=true]:bg-sunken"
                >
                  {content}
                </Command.Item>
              ))}
            </Command.Group>
          ),
        )}
      </Command.List>
    </Command>
  )
}
