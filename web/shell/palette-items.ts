import {
  BookOpen,
  Copy,
  HeartPulse,
  Keyboard,
  FileUp,
  Link2,
  Link2Off,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  Power,
  QrCode,
  Sun,
  Tag,
  WandSparkles,
} from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { shortLinkUrl } from '#web/site.ts'
import { shownCode, shownName } from '#web/shown-link.ts'
import { readableUrl } from '#domain/links/readable-url.ts'
import type { Right } from '#web/session/space/rights.ts'
import { adminItems, helpItems, mainItems } from './navigation.ts'
import { planItems } from './plan-items.ts'
import type { FoundSection } from './docs-search.ts'
import { setTheme } from './theme.ts'

/** One line of the command palette. */
export interface PaletteItem {
  /** Stable: recent items are remembered by it. */
  readonly id: string
  readonly name: string
  readonly note?: string
  /** Other words that people type for it. */
  readonly words?: string | undefined
  readonly Icon: LucideIcon
  readonly run: () => void
}

/** Actions of the palette on the app around it. */
export interface PaletteActions {
  goTo: (href: string) => void
  copy: (url: string) => void
  openDocs: (href: string) => void
  setActive: (id: string, isActive: boolean) => void
  newLink: () => void
  showKeys: () => void
  signOut: () => void
}

const screenWords: Partial<Record<string, string>> = {
  [routes.dashboard.path]: 'dashboard urls short links',
  [routes.imports.path]: 'migrate move csv bitly dub kutt shlink yourls rebrandly linktree',
  [routes.analytics.path]: 'clicks statistics reports traffic export csv',
  [routes.bioLink.path]: 'page profile linktree instagram',
  [routes.audience.path]: 'leads subscribers newsletter email addresses export csv',
  [routes.upgrade.path]: 'plans pricing billing invoices subscription payment limits cancel',
  [routes.affiliates.path]: 'referral commission payout invite',
  [routes.qrStudio.path]: 'static qr code studio wifi vcard event text print label',
  [routes.help.path]: 'docs documentation support contact shortcuts api reference',
  [routes.missedCodes.path]: '404 not found broken',
  [routes.linkHealth.path]: '404 dead broken moved certificate check',
}

type May = (right: Right) => boolean

export function screenItems({ goTo }: PaletteActions, isAdmin: boolean, may: May): PaletteItem[] {
  const named = [
    ...mainItems,
    { name: 'Missing codes', to: routes.missedCodes.path, Icon: Link2Off },
    { name: 'Import links', to: routes.imports.path, Icon: FileUp, right: 'links:write' as const },
    { name: 'Health of destinations', to: routes.linkHealth.path, Icon: HeartPulse },
    { name: 'QR codes for Wi-Fi, contacts and more', to: routes.qrStudio.path, Icon: QrCode },
    {
      name: 'Popup Generator',
      to: routes.popupGenerator.path,
      Icon: WandSparkles,
      right: 'popups:write' as const,
    },
    ...planItems(),
    ...helpItems,
    ...(isAdmin ? adminItems().map((item) => ({ ...item, name: `Admin: ${item.name}` })) : []),
  ]
  const allowed = named.filter(
    (item) => !('right' in item) || item.right === undefined || may(item.right),
  )
  return allowed.map(({ name, to, Icon }) => ({
    id: `screen:${to}`,
    name,
    words: screenWords[to],
    Icon,
    run: () => goTo(to),
  }))
}

export function actionItems(actions: PaletteActions, may: May): PaletteItem[] {
  const newLink: PaletteItem = {
    id: 'new-link',
    name: 'New link',
    note: 'N',
    words: 'create shorten many bulk paste import csv bitly',
    Icon: Plus,
    run: actions.newLink,
  }
  const newPopup: PaletteItem = {
    id: 'new-popup',
    name: 'New popup',
    Icon: WandSparkles,
    run: () => actions.goTo(routes.popupGenerator.path),
  }
  return [
    ...(may('links:write') ? [newLink] : []),
    ...(may('popups:write') ? [newPopup] : []),
    { id: 'theme:light', name: 'Light theme', Icon: Sun, run: () => setTheme('light') },
    { id: 'theme:dark', name: 'Dark theme', Icon: Moon, run: () => setTheme('dark') },
    { id: 'theme:system', name: 'System theme', Icon: Monitor, run: () => setTheme('system') },
    {
      id: 'keys',
      name: 'Keyboard shortcuts',
      note: '?',
      Icon: Keyboard,
      run: actions.showKeys,
    },
    { id: 'sign-out', name: 'Sign Out', Icon: LogOut, run: actions.signOut },
  ]
}

/** The ways to a link: its page, and its address on the clipboard. */
export function linkItems(
  link: { code: string; original_url: string; title: string | null },
  { goTo, copy }: Pick<PaletteActions, 'goTo' | 'copy'>,
): { open: PaletteItem; copy: PaletteItem } {
  const { code } = link
  return {
    open: {
      id: `link:${code}`,
      name: shownCode(code),
      ...(link.original_url !== '' && { note: link.title ?? readableUrl(link.original_url) }),
      Icon: Link2,
      run: () => goTo(routes.link.href({ code })),
    },
    copy: {
      id: `copy:${code}`,
      name: `Copy ${shownName(code)}`,
      Icon: Copy,
      run: () => copy(shortLinkUrl(code)),
    },
  }
}

/** The links with a tag. */
export function tagItem(
  { id, name }: { id: string; name: string },
  { goTo }: Pick<PaletteActions, 'goTo'>,
): PaletteItem {
  const search = new URLSearchParams({ tag: name })
  return {
    id: `tag:${id}`,
    name,
    note: 'Tag',
    Icon: Tag,
    run: () => goTo(`${routes.dashboard.path}?${search}`),
  }
}

/** Switches a link off, or on again. */
export function activeItem(
  link: { id: string; code: string; is_disabled: boolean },
  { setActive }: Pick<PaletteActions, 'setActive'>,
): PaletteItem {
  return {
    id: `active:${link.code}`,
    name: `Switch ${link.is_disabled ? 'on' : 'off'} ${shownName(link.code)}`,
    Icon: Power,
    run: () => setActive(link.id, link.is_disabled),
  }
}

/** The remembered item of the link with this id; undefined for other ids. */
export function linkItemOf(id: string, actions: PaletteActions): PaletteItem | undefined {
  const [kind, code] = id.split(':')
  if (code === undefined) return undefined
  const items = linkItems({ code, original_url: '', title: null }, actions)
  return kind === 'link' ? items.open : kind === 'copy' ? items.copy : undefined
}

/** A section of the documentation. */
export function docsItem(
  { title, heading, href }: FoundSection,
  { openDocs }: Pick<PaletteActions, 'openDocs'>,
): PaletteItem {
  return {
    id: `docs:${href}`,
    name: heading ?? title,
    ...(heading !== undefined && { note: title }),
    Icon: BookOpen,
    run: () => openDocs(href),
  }
}

/** Whether each typed word is in the item's name or its other words. */
export function matches(item: PaletteItem, typed: string): boolean {
  const name = `${item.name} ${item.words ?? ''}`.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.includes(word))
}
