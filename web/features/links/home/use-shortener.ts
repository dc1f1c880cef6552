import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { linkForm } from '#domain/forms/forms.ts'
import { codeOfLink } from '#domain/links/link-address.ts'
import { notices } from '#domain/texts/texts.ts'
import { isSignedIn, signedInUserId, useSession } from '#web/session/session.ts'
import { shortLinkUrl, site } from '#web/site.ts'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { copyLater } from '#web/ui/hooks/use-copy.ts'
import { type FormRefusal, refusalAt, useForm } from '#web/forms/use-form.ts'
import type { makeLink as MakeLink } from './make-link.ts'
import type { CreatedLink } from './result-card.tsx'
import { decideShorten } from './shorten-decision.ts'
import { useAttemptKey } from '../form/use-attempt-key.ts'
import { ownPlace } from './shortener-place.ts'
import { useDraft } from './use-draft.ts'

// Visitors, who cannot make links, load neither of these.
const makeLink: typeof MakeLink = async (...wanted) => {
  const loading = Promise.all([import('./make-link.ts'), import('./result-card.tsx')])
  const parts = await loading.catch(() => undefined)
  return parts === undefined
    ? { ok: false, notice: notices.createFailed, isSettled: true }
    : parts[0].makeLink(...wanted)
}

/** The form of Home: its draft, and the link that it makes, after a sign-in if need be. */
export function useShortener(onCreated: (created: CreatedLink) => void) {
  const session = useSession()
  const client = useQueryClient()
  const attempts = useAttemptKey()
  const [draft, setDraft] = useDraft()
  const [isLoginOpen, setLoginOpen] = useState(false)
  const [place, setPlace] = useState(ownPlace)

  const form = useForm({
    schema: linkForm,
    values: { ...draft },
    submit: async (typed) => {
      const userId = await whoIsAsking()
      const decision = decideShorten({
        ...typed,
        domain: place.domain,
        signedIn: userId !== null,
        ownHosts: site.ownHosts,
      })
      if (decision.kind === 'refuse') return refusalAt(decision.field, decision.notice)
      if (decision.kind === 'create' && userId !== null) return create(userId, decision)
      setDraft((now) => ({ ...now, isPending: true }))
      return setLoginOpen(true)
    },
  })

  // The link that made this person sign in.
  const isDue = draft.isPending && session.status === 'signed-in'
  useEffect(() => {
    if (!isDue) return
    setDraft((now) => ({ ...now, isPending: false }))
    form.submit()
  })

  // A press that comes before the session is known waits for it.
  async function whoIsAsking(): Promise<string | null> {
    if (session.status === 'loading') return signedInUserId().catch(() => null)
    return isSignedIn()
  }

  async function create(
    userId: string,
    { url, customCode }: { url: string; customCode: string | null },
  ): Promise<FormRefusal | undefined> {
    const { sent: domain } = place
    const attempt = attempts.keyFor(url, customCode, { domain })
    const creation = makeLink(client, { userId, url, customCode, domain, attempt })
    // At once: browsers let a page copy only while it handles a press. The card has a button too.
    const copying = copyLater(
      creation.then((made) => (made.ok ? shortLinkUrl(codeOfLink(made.link)) : null)),
    )
    const result = await creation
    void client.invalidateQueries({ queryKey: ['account', userId] })
    if (!result.ok) {
      if (result.isSettled) attempts.settle()
      return refusalAt(result.field, result.notice)
    }
    attempts.settle()
    // Later input stays.
    setDraft((now) => ({
      url: now.url === draft.url ? '' : now.url,
      code: now.code === draft.code ? '' : now.code,
      isPending: false,
    }))
    notifySuccess(customCode === null ? notices.created : notices.createdCustom)
    onCreated({ link: result.link, userId, copying })
    return undefined
  }

  const userId = session.status === 'signed-in' ? session.userId : undefined
  return { form, draft, setDraft, userId, place, setPlace, isLoginOpen, setLoginOpen }
}
