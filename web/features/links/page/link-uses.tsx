import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { popupChoicesQuery } from '#web/popup-picker/popup-choices.ts'
import { shortLinkUrl } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { bioUseQuery, maxBioLinks, useAddToBio } from '../form/bio-use.ts'
import { LinkCard } from './link-card.tsx'
import type { LinkRow } from '#web/api/database.ts'

interface LinkUsesProps {
  link: LinkRow
  userId: string
}

const itemLinkClass =
  'font-medium text-ink underline decoration-line underline-offset-4 hover:decoration-ink'

/** Where the link is used: on the bio page, and with which popup. */
export function LinkUses({ link, userId }: LinkUsesProps) {
  return (
    <LinkCard title="Used on">
      <ul className="mt-3 grid gap-3 text-sm text-ink-soft wrap-anywhere">
        <li className="min-h-9">
          <OnBioPage link={link} userId={userId} />
        </li>
        <li>
          <WithPopup link={link} userId={userId} />
        </li>
      </ul>
    </LinkCard>
  )
}

function OnBioPage({ link, userId }: LinkUsesProps) {
  const { data: page, isError } = useQuery(bioUseQuery(userId))
  const addToBio = useAddToBio(userId)
  const url = shortLinkUrl(link.short_code)
  const addition = useAction(async () => {
    if (await addToBio(url, new URL(link.original_url).hostname.replace(/^www\./, '')))
      notifySuccess({ title: 'Added', description: 'The link is on your bio page' })
    else notifyError({ title: 'Error', description: 'Failed to add the link to your bio page' })
  })

  if (isError) return 'Your bio page could not be loaded.'
  if (page === undefined) return null
  if (page === null)
    return (
      <>
        You have no bio page yet.{' '}
        <Link to={routes.bioLink.path} className={itemLinkClass}>
          Build one
        </Link>
      </>
    )
  const at = page.links.findIndex((other) => other.url === url)
  const title = page.links[at]?.title
  if (title !== undefined)
    return (
      <>
        On{' '}
        <Link to={routes.bioLink.path} className={itemLinkClass}>
          your bio page
        </Link>
        , number {at + 1}, as “{title}”
      </>
    )
  return (
    <span className="flex flex-wrap items-center justify-between gap-2">
      Bio page: not added
      {page.links.length >= maxBioLinks ? null : (
        <Button size="small" busy={addition.busy} onClick={() => addition.run()}>
          Add to bio page
        </Button>
      )}
    </span>
  )
}

function WithPopup({ link, userId }: LinkUsesProps) {
  const { data: popups } = useQuery(popupChoicesQuery(userId))
  const popup = popups?.find(({ id }) => id === link.popup_id)
  if (!link.show_popup) return 'Popup: none'
  if (popup === undefined) return 'Popup: on'
  return (
    <>
      Popup:{' '}
      <Link to={routes.popupGenerator.path} search={{ edit: popup.id }} className={itemLinkClass}>
        “{popup.name}”
      </Link>
    </>
  )
}
