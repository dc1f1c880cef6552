import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { readNamedOn } from '#domain/links/link-address.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import type { LinkRow } from '#web/api/database.ts'
import { timeZoneQuery } from '#web/clicks/time-zone-query.ts'
import { linkRulesQuery } from '../rules/rules-query.ts'
import { type ComposeDraft, draftLike, emptyComposeDraft, nextDraft } from './compose-draft.ts'
import { ComposeForm } from './compose-form.tsx'
import { useComposing } from './use-composing.ts'

export interface ComposeDialogProps {
  userId: string
  /** Initial values of the dialog. */
  destination?: string | undefined
  /** A text of `namedOn`. */
  code?: string | undefined
  /** A link to make another one like. */
  likeLink?: LinkRow | undefined
  open: boolean
  onClose: () => void
  /** Gets the newest link that was made. */
  onCreated: (link: { id: string }) => void
}

/** A wanted code is on its host, and not on the default domain. */
function placed(named: string): Pick<ComposeDraft, 'code' | 'domain'> {
  const { name, domain } = readNamedOn(named)
  return { code: name, domain }
}

/** Makes links from any screen. Input stays when the dialog is closed without making them, and so does a request: it is sent once. */
export function ComposeDialog(props: ComposeDialogProps) {
  const { userId, destination = '', code = '', likeLink, open, onClose, onCreated } = props
  const [draft, setDraft] = useState(() =>
    likeLink === undefined
      ? { ...emptyComposeDraft, url: destination, ...(code !== '' && placed(code)) }
      : draftLike(likeLink),
  )
  const isReady = useRulesLike(userId, likeLink, (rules) =>
    setDraft((now) => ({ ...now, rules: now.rules ?? rules })),
  )
  const latest = useRef({ draft, open })
  useEffect(() => {
    latest.current = { draft, open }
  })
  const onChange = (change: Partial<ComposeDraft>) => setDraft((now) => ({ ...now, ...change }))
  const composing = useComposing({
    userId,
    draft,
    onChange,
    onCreated(link, isLast) {
      // Later input stays.
      if (latest.current.draft !== draft) return
      setDraft(isLast ? emptyComposeDraft : nextDraft(draft))
      if (isLast && latest.current.open) onCreated(link)
    },
  })
  return (
    <Dialog open={open} onClose={onClose} title="New link" shape="form">
      <ComposeForm {...{ userId, draft, composing, isReady, onChange, onClose }} />
    </Dialog>
  )
}

/** Reads the rules of the link that another one is made like. @returns whether they are there */
function useRulesLike(
  userId: string,
  link: LinkRow | undefined,
  onRules: (rules: ComposeDraft['rules']) => void,
): boolean {
  const client = useQueryClient()
  const [isReady, setReady] = useState(link === undefined)
  const latest = useRef(onRules)
  useEffect(() => {
    latest.current = onRules
  })
  useEffect(() => {
    if (link === undefined) return
    const load = async () => {
      const [{ rules }, zone, { enteredRulesLike }] = await Promise.all([
        client.fetchQuery(linkRulesQuery(link.id)),
        client.fetchQuery(timeZoneQuery(userId)),
        import('../rules/rules-panel.tsx'),
      ])
      if (rules.length > 0) latest.current(enteredRulesLike(rules, zone))
    }
    // Without them, the form makes a link without rules, as its list of parts says.
    void load()
      .catch(() => {})
      .then(() => setReady(true))
  }, [client, userId, link])
  return isReady
}
