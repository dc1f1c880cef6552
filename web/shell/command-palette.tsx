import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { useDeferredValue, useState } from 'react'
import { notices } from '#domain/texts.ts'
import { leaveAdmin } from '#web/session/admin-exit.ts'
import { adminQuery } from '#web/session/role.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { useCopy } from '#web/ui/use-copy.ts'
import { isAdminPath } from './navigation.ts'
import { useSetActive } from '#web/features/links/change-link.ts'
import {
  actionItems,
  activeItem,
  linkItemOf,
  linkItems,
  matches,
  type PaletteActions,
  type PaletteItem,
  screenItems,
} from './palette-items.ts'
import { paletteLinksQuery } from './palette-links-query.ts'
import { recentItems, rememberItem } from './recent-items.ts'
import { useSignOut } from './use-sign-out.ts'

interface CommandPaletteProps {
  userId: string
  open: boolean
  onClose: () => void
  onNewLink: () => void
  onKeys: () => void
}

/** Finds links, screens and actions by what is typed; what was chosen last comes first. */
export function CommandPalette(props: CommandPaletteProps) {
  const { open, onClose } = props
  return (
    <Dialog open={open} onClose={onClose} title="Find anything" shape="palette">
      <Palette {...props} />
    </Dialog>
  )
}

function Palette({ userId, onClose, onNewLink, onKeys }: CommandPaletteProps) {
  const [typed, setTyped] = useState('')
  const [marked, setMarked] = useState('')
  const actions = usePaletteActions(userId, onNewLink, onKeys)
  const groups = usePaletteGroups(userId, typed, actions)

  // The first line is marked when the marked one is no longer there: links come later than what was typed.
  const lines = groups.shown.flatMap(({ name, items }) =>
    items.map((item) => ({ value: valueOf(name, item), item })),
  )
  const current = lines.find(({ value }) => value === marked) ?? lines[0]

  function choose(item: PaletteItem) {
    rememberItem(userId, item.id)
    onClose()
    item.run()
  }

  return (
    <Command
      shouldFilter={false}
      label="Find anything"
      loop
      value={current?.value ?? ''}
      onValueChange={setMarked}
      // cmdk marks a line some time after the lines have changed, and would choose one that is gone.
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
        event.preventDefault()
        if (current !== undefined) choose(current.item)
      }}
      className="flex min-h-0 flex-col"
    >
      <Command.Input
        data-first-focus
        value={typed}
        onValueChange={(text) => {
          setTyped(text)
          setMarked('')
        }}
        placeholder="Find links, screens, actions"
        className="h-14 w-full shrink-0 border-b border-line bg-transparent px-5 text-base outline-none"
      />
      <Command.List className="h-[min(60dvh,26rem)] overflow-y-auto overscroll-contain p-2">
        <Command.Empty className="px-3 py-10 text-center text-ink-soft">
          {groups.isSearching ? 'Searching your links…' : `Nothing matches “${typed.trim()}”`}
        </Command.Empty>
        {groups.shown.map(({ name, items }) => (
          <Command.Group
            key={name}
            heading={name}
            className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2.5 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-faint"
          >
            {items.map((item) => (
              <Line key={item.id} group={name} item={item} onChoose={choose} />
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  )
}

/** The same item can stand among the recent ones too. */
function valueOf(group: string, { id }: PaletteItem): string {
  return `${group} ${id}`
}

interface LineProps {
  group: string
  item: PaletteItem
  onChoose: (item: PaletteItem) => void
}

function Line({ group, item, onChoose }: LineProps) {
  const { name, note, Icon } = item
  return (
    <Command.Item
      value={valueOf(group, item)}
      onSelect={() => onChoose(item)}
      className="flex min-h-11 cursor-pointer items-center gap-3 rounded-xl px-3 data-[selected=true]:bg-sunken"
    >
      <Icon size={17} aria-hidden className="shrink-0 text-ink-faint" />
      <span className="max-w-[70%] shrink-0 truncate">{name}</span>
      {note === undefined ? null : (
        <span className="min-w-0 grow truncate text-right text-sm text-ink-faint">{note}</span>
      )}
    </Command.Item>
  )
}

function usePaletteActions(
  userId: string,
  onNewLink: () => void,
  onKeys: () => void,
): PaletteActions {
  const router = useRouter()
  const signOut = useSignOut()
  const { copy } = useCopy()
  return {
    goTo: (href) => {
      // For admins My Links leads back to the admin screens, until they leave these (web/guards.ts).
      if (!isAdminPath(href)) leaveAdmin(userId)
      void router.navigate({ href })
    },
    copy: (url) => {
      void copy(url).then((isDone) =>
        isDone ? notifySuccess(notices.copied) : notifyError(notices.copyFailed),
      )
    },
    setActive: useSetActive(),
    newLink: onNewLink,
    showKeys: onKeys,
    signOut,
  }
}

interface Group {
  name: string
  items: PaletteItem[]
}

function usePaletteGroups(userId: string, typed: string, actions: PaletteActions) {
  const words = typed.trim()
  const isAdmin = useQuery(adminQuery(userId)).data === true
  // 'copy spring' and 'switch off spring' look for links called spring.
  const search = useDeferredValue(words.replace(/^(copy|switch( on| off)?)(\s+|$)/i, ''))
  const found = useQuery(paletteLinksQuery(userId, search))
  const links = (found.data ?? []).map((link) => linkItems(link, actions))
  const fixed = [...actionItems(actions), ...screenItems(actions, isAdmin)]

  if (words === '') {
    const recent = recentItems(userId).map(
      (id) => fixed.find((item) => item.id === id) ?? linkItemOf(id, actions),
    )
    return {
      isSearching: false,
      shown: withoutEmpty([
        { name: 'Recent', items: recent.filter((item) => item !== undefined) },
        { name: 'Links', items: links.map(({ open }) => open) },
        { name: 'Actions', items: actionItems(actions) },
        { name: 'Screens', items: screenItems(actions, isAdmin) },
      ]),
    }
  }
  const wantsCopy = /^copy\b/i.test(words)
  const wantsSwitch = /^switch\b/i.test(words)
  return {
    isSearching: found.isFetching,
    shown: withoutEmpty([
      {
        name: 'Screens',
        items: screenItems(actions, isAdmin).filter((item) => matches(item, words)),
      },
      { name: 'Actions', items: actionItems(actions).filter((item) => matches(item, words)) },
      {
        name: 'Links',
        items: wantsCopy
          ? links.map(({ copy }) => copy)
          : wantsSwitch
            ? (found.data ?? [])
                // What was found for fewer letters is still there for a moment: Enter must not switch another link off.
                .filter(({ short_code }) => short_code.includes(search.toLowerCase()))
                .map((link) => activeItem(link, actions))
            : links.flatMap(({ open, copy }, index) => (index < 3 ? [open, copy] : [open])),
      },
    ]),
  }
}

function withoutEmpty(groups: Group[]): Group[] {
  return groups.filter(({ items }) => items.length > 0)
}
