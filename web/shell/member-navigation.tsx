import { useNavigate, useRouterState } from '@tanstack/react-router'
import { type ComponentType, useEffect, useState } from 'react'
import { connectionTexts } from '#domain/texts/session-texts.ts'
import { routes } from '#domain/routes.ts'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { useLazyPart } from '#web/ui/hooks/use-lazy-part.ts'
import { phone, useMedia } from '#web/ui/hooks/use-media.ts'
import { useRights } from '#web/session/space/rights.ts'
import { useIsSpaceLost } from '#web/session/space/space-membership.ts'
import type { LinkRow } from '#web/api/database.ts'
import { readSharedPage } from '#web/app/shared-page.ts'
import { LostSpaceNote } from './lost-space-note.tsx'
import { Sidebar } from './sidebar.tsx'
import { TabBar } from './tab-bar.tsx'
import { useKeptFocus } from './use-kept-focus.ts'
import { YouSheet } from './you-sheet.tsx'

const loadCompose = async () =>
  (await import('#web/features/links/form/compose-dialog.tsx')).ComposeDialog
const loadPalette = async () => (await import('./command-palette.tsx')).CommandPalette
const loadKeys = async () => (await import('./keys-dialog.tsx')).KeysDialog

export type ShellPart = 'compose' | 'palette' | 'keys' | 'you'

interface MemberNavigationProps {
  userId: string
  personId: string
  email: string
  /** The dialog over the screen. */
  open: ShellPart | undefined
  setOpen: (part: ShellPart | undefined) => void
}

/** The ways to everything for a person who is signed in, and the dialogs over any screen, by key or by button. */
export function MemberNavigation(props: MemberNavigationProps) {
  const { userId, personId, email, open, setOpen } = props
  const navigate = useNavigate()
  const isPhone = useMedia(phone)
  const [hasComposed, setHasComposed] = useState(false)
  useKeptFocus()
  const isLost = useIsSpaceLost()
  const close = () => setOpen(undefined)
  const asked = useAskedLink(() => setOpen('compose'))
  const may = useRights()
  const mayCompose = may('links:write')
  const isComposing = open === 'compose' && (mayCompose || hasComposed)
  // An open composer keeps its text when the role changes.
  if (isComposing && !hasComposed) setHasComposed(true)
  const isRefused = open === 'compose' && !isComposing
  useEffect(() => {
    if (isRefused) setOpen(undefined)
  }, [isRefused, setOpen])
  const compose = useShellPart(isComposing, loadCompose, close)
  const palette = useShellPart(open === 'palette', loadPalette, close)
  const keys = useShellPart(open === 'keys', loadKeys, close)
  const openers = {
    onNewLink: () => setOpen('compose'),
    onFind: () => setOpen('palette'),
  }
  return (
    <>
      {isPhone ? (
        <TabBar onNewLink={openers.onNewLink} onYou={() => setOpen('you')} />
      ) : (
        <Sidebar userId={userId} personId={personId} email={email} {...openers} />
      )}
      <YouSheet
        userId={userId}
        personId={personId}
        email={email}
        open={open === 'you'}
        onClose={close}
        onFind={openers.onFind}
      />
      {compose.Part === undefined ? null : (
        <compose.Part
          key={asked.times}
          userId={userId}
          destination={asked.address}
          code={asked.code}
          likeLink={asked.likeLink}
          open={isComposing}
          onClose={close}
          onCreated={(link) => {
            close()
            void navigate({ to: routes.dashboard.path, state: { createdLink: link.id } })
          }}
        />
      )}
      {palette.Part === undefined ? null : (
        <palette.Part
          userId={userId}
          open={open === 'palette'}
          onClose={close}
          onNewLink={openers.onNewLink}
          onKeys={() => setOpen('keys')}
        />
      )}
      {isLost ? <LostSpaceNote /> : null}
      {keys.Part === undefined ? null : <keys.Part open={open === 'keys'} onClose={close} />}
    </>
  )
}

interface AskedLink {
  address?: string | undefined
  code?: string | undefined
  /** The link to duplicate. */
  likeLink?: LinkRow | undefined
  /** So that the same can be asked for again. */
  times: number
}

/**
 * The page that another site or app wants shortened, the code that a screen wants a link for, or a link to duplicate: it is
 * taken out of the address or the history, and the composer opens with it.
 */
function useAskedLink(open: () => void): AskedLink {
  const navigate = useNavigate()
  const address = useRouterState({
    select: ({ location }) => readSharedPage(location.search).shorten,
  })
  const code = useRouterState({ select: ({ location }) => location.state.newLinkCode })
  const likeLink = useRouterState({ select: ({ location }) => location.state.duplicatedLink })
  const wanted = address ?? code ?? likeLink?.id
  const [before, setBefore] = useState<string>()
  const [asked, setAsked] = useState<AskedLink>({ times: 0 })
  if (wanted !== before) {
    setBefore(wanted)
    if (wanted !== undefined) setAsked({ address, code, likeLink, times: asked.times + 1 })
  }
  useEffect(() => {
    if (wanted === undefined) return
    open()
    if (address !== undefined)
      void navigate({ to: routes.dashboard.path, search: {}, replace: true })
    else void navigate({ to: '.', search: true, state: {}, replace: true, resetScroll: false })
  })
  return asked
}

/** Loaded when it is first opened. When its script does not come, a message says so, and the next press asks again. */
function useShellPart<Props>(
  isOpen: boolean,
  load: () => Promise<ComponentType<Props>>,
  close: () => void,
): { Part: ComponentType<Props> | undefined } {
  const { Part, hasFailed, retry } = useLazyPart(isOpen, load)
  useEffect(() => {
    if (!hasFailed) return
    notifyError({ title: 'Error', description: connectionTexts.partFailed })
    close()
    retry()
  })
  return { Part }
}
