import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { codeOfLink } from '#domain/links/link-address.ts'
import { routes } from '#domain/routes.ts'
import { notices } from '#domain/texts/texts.ts'
import type { LinkRow } from '#web/api/database.ts'
import { shownLink } from '#web/shown-link.ts'
import { shortLinkUrl } from '#web/site.ts'
import { notifySuccessWith } from '#web/ui/toasts/notify-actions.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { copyLater } from '#web/ui/hooks/use-copy.ts'
import { useAddToBio, useRemoveFromBio } from './bio-use.ts'
import { deleteLinks } from '../change-link.ts'
import { createLink, type CreateResult, type NewLink } from './create-link.ts'
import { addLoadedLink, changeLoadedLinks } from '../links-query.ts'
import { useAttemptKey } from './use-attempt-key.ts'

interface ComposedLink {
  url: string
  customCode: string | null
  domain: NewLink['domain']
  popupId: string | null
  options: NewLink['options']
  /** Its title on the bio page; null when it does not go there. */
  bioTitle: string | null
}

const bioFailed = {
  title: 'Not on your bio page',
  description: 'The link was made, but it could not be added to your bio page.',
}
const undoFailed = { title: 'Error', description: 'Failed to delete link' }

/** Makes a link, copies it, and says so with the next actions. To be called while a press is handled. */
export function useCreateLink(userId: string): (wanted: ComposedLink) => Promise<CreateResult> {
  const client = useQueryClient()
  const navigate = useNavigate()
  const attempts = useAttemptKey()
  const addToBio = useAddToBio(userId)
  const removeFromBio = useRemoveFromBio(userId)

  async function undo(link: LinkRow, isOnBio: boolean) {
    try {
      await deleteLinks([link.id])
      if (isOnBio) await removeFromBio(shortLinkUrl(codeOfLink(link)))
      changeLoadedLinks(client, (other) => (other.id === link.id ? null : other))
      notifySuccess(notices.deleted)
      void client.invalidateQueries({ queryKey: ['account', userId] })
    } catch {
      notifyError(undoFailed)
    }
  }

  return async ({ url, customCode, domain, popupId, options, bioTitle }) => {
    const attempt = attempts.keyFor(url, customCode, { domain, popupId, ...options })
    const creation = createLink({ userId, url, customCode, domain, popupId, options, attempt })
    const copying = copyLater(
      creation.then((made) => (made.ok ? shortLinkUrl(codeOfLink(made.link)) : null)),
    )
    const result = await creation
    // Also after a failure: the link may have been made, and its answer lost.
    void client.invalidateQueries({ queryKey: ['account', userId] })
    if (result.ok || result.isSettled) attempts.settle()
    if (!result.ok) return result

    const { link } = result
    addLoadedLink(client, userId, link)
    const isOnBio = bioTitle !== null && (await addToBio(shortLinkUrl(codeOfLink(link)), bioTitle))
    if (bioTitle !== null && !isOnBio) notifyError(bioFailed)
    const { title, description } = customCode === null ? notices.created : notices.createdCustom
    const name = shownLink(codeOfLink(link))
    notifySuccessWith(
      {
        title,
        description: `${description}\n${name}${(await copying) ? ' copied' : ''}`,
      },
      [
        {
          label: 'Open',
          act: () => window.open(shortLinkUrl(codeOfLink(link)), '_blank', 'noopener'),
        },
        {
          label: 'QR',
          act: () =>
            void navigate({ to: routes.link.path, params: { code: codeOfLink(link) }, hash: 'qr' }),
        },
        { label: 'Undo', act: () => void undo(link, isOnBio) },
      ],
    )
    return result
  }
}
