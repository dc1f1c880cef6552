import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { codeOfLink } from '#domain/links/link-address.ts'
import { notices } from '#domain/texts/texts.ts'
import { linkSearchQuery } from '#web/api/link-search.ts'
import { leaveAdmin } from '#web/session/admin-exit.ts'
import { useRights } from '#web/session/space/rights.ts'
import { adminQuery } from '#web/session/role.ts'
import { type CommandLine, CommandList } from '#web/ui/menus/command-list.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useSettled } from '#web/ui/hooks/use-settled.ts'
import { useCopy } from '#web/ui/hooks/use-copy.ts'
import { isAdminPath } from './navigation.ts'
import { useSetActive } from '#web/features/links/change-link.ts'
import { tagsQuery } from '#web/api/tags-query.ts'
import {
  actionItems,
  activeItem,
  docsItem,
  linkItemOf,
  linkItems,
  matches,
  type PaletteActions,
  type PaletteItem,
  screenItems,
  tagItem,
} from './palette-items.ts'
import { docsSearchQuery } from './docs-search.ts'
import { settingsItems } from './palette-settings.ts'
import { recentItems, rememberItem } from './recent-items.ts'
import { useSignOut } from './use-sign-out.ts'

const maxLinks = 8
const maxSections = 6

interface CommandPaletteProps {
  userId: string
  open: boolean
  onClose: () => void
  onNewLink: () => void
  onKeys: () => void
}

/** Finds links, screens and actions by the typed text; the last chosen ones come first. */
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
  const actions = usePaletteActions(userId, onNewLink, onKeys)
  const groups = usePaletteGroups(userId, typed, actions)

  function choose(item: PaletteItem) {
    rememberItem(userId, item.id)
    onClose()
    item.run()
  }

  return (
    <CommandList
      label="Find anything"
      placeholder="Find links, screens, settings"
      typed={typed}
      onType={setTyped}
      empty={groups.isSearching ? 'Searching…' : `Nothing matches “${typed.trim()}”`}
      groups={groups.shown.map(({ name, items }) => ({
        name,
        lines: items.map((item) => commandLine(name, item, choose)),
      }))}
    />
  )
}

function commandLine(
  group: string,
  item: PaletteItem,
  choose: (item: PaletteItem) => void,
): CommandLine {
  const { id, name, note, Icon } = item
  return {
    // The same item can stand among the recent ones too.
    key: `${group} ${id}`,
    run: () => choose(item),
    content: (
      <>
        <Icon size={17} aria-hidden className="shrink-0 text-ink-faint" />
        <bdi className="max-w-[70%] shrink-0 truncate">{name}</bdi>
        {note === undefined ? null : (
          <span className="min-w-0 grow truncate text-right text-sm text-ink-faint">{note}</span>
        )}
      </>
    ),
  }
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
      // For admins My Links leads back to the admin screens, until they leave these (web/app/guards.ts).
      if (!isAdminPath(href)) leaveAdmin(userId)
      void router.navigate({ href })
    },
    // Not a screen of the app.
    openDocs: (href) => window.location.assign(href),
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

function usePaletteGroups(userId: string, typed: string, actions: PaletteActions) {
  const words = typed.trim()
  const isAdmin = useQuery(adminQuery(userId)).data === true
  // 'copy spring' and 'switch off spring' look for links called spring.
  const search = words.replace(/^(copy|switch( on| off)?)(\s+|$)/i, '')
  const found = useQuery(linkSearchQuery({ userId, search, limit: maxLinks }))
  const links = (found.data ?? []).map((link) =>
    linkItems({ ...link, code: codeOfLink(link) }, actions),
  )
  const tags = (useQuery(tagsQuery(userId)).data ?? []).map((tag) => tagItem(tag, actions))
  const may = useRights()
  const settings = settingsItems(actions, may('owner'))
  const fixed = [
    ...actionItems(actions, may),
    ...screenItems(actions, isAdmin, may),
    ...settings,
    ...tags,
  ]
  const wantsCopy = /^copy\b/i.test(words)
  const wantsSwitch = may('links:write') && /^switch\b/i.test(words)
  const docs = useFoundSections(wantsCopy || wantsSwitch ? '' : words)

  if (words === '') {
    const recent = recentItems(userId).map(
      (id) => fixed.find((item) => item.id === id) ?? linkItemOf(id, actions),
    )
    return {
      isSearching: false,
      shown: [
        { name: 'Recent', items: recent.filter((item) => item !== undefined) },
        { name: 'Links', items: links.map(({ open }) => open) },
        { name: 'Actions', items: actionItems(actions, may) },
        { name: 'Screens', items: screenItems(actions, isAdmin, may) },
      ],
    }
  }
  return {
    isSearching: found.isFetching || docs.isSearching,
    shown: [
      {
        name: 'Screens',
        items: screenItems(actions, isAdmin, may).filter((item) => matches(item, words)),
      },
      { name: 'Actions', items: actionItems(actions, may).filter((item) => matches(item, words)) },
      { name: 'Settings', items: settings.filter((item) => matches(item, words)) },
      {
        name: 'Tags',
        items: tags.filter((item) => matches(item, words)).slice(0, maxLinks),
      },
      {
        name: 'Links',
        items: wantsCopy
          ? links.map(({ copy }) => copy)
          : wantsSwitch
            ? (found.data ?? [])
                .map((link) => ({ ...link, code: codeOfLink(link) }))
                .filter(({ code }) => code.includes(search.toLowerCase()))
                .map((link) => activeItem(link, actions))
            : links.flatMap(({ open, copy }, index) => (index < 3 ? [open, copy] : [open])),
      },
      {
        name: 'Documentation',
        items: docs.sections.map((section) => docsItem(section, actions)),
      },
    ],
  }
}

/** The best sections of the documentation for the words, a moment after the last letter. */
function useFoundSections(words: string) {
  const settled = useSettled(words)
  const { data = [], isFetching } = useQuery(docsSearchQuery(settled))
  const isCurrent = settled === words
  return {
    sections: isCurrent ? data.slice(0, maxSections) : [],
    isSearching: isFetching || !isCurrent,
  }
}
