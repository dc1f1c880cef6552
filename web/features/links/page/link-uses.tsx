import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookUser, PanelTop } from 'lucide-react'
import { codeOfLink } from '#domain/links/link-address.ts'
import { routes } from '#domain/routes.ts'
import { popupChoicesQuery } from '#web/popup-picker/popup-choices.ts'
import { shortLinkUrl } from '#web/site.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { bioUseQuery, maxBioLinks, useAddToBio } from '../form/bio-use.ts'
import { BehaviorRow } from './behavior-row.tsx'
import type { LinkRow } from '#web/api/database.ts'

interface LinkUsesProps {
  link: LinkRow
  userId: string
}

/** Whether the link is on the bio page. */
export function BioUseRow({ link, userId }: LinkUsesProps) {
  const { data: page, isError } = useQuery(bioUseQuery(userId))
  const addToBio = useAddToBio(userId)
  const url = shortLinkUrl(codeOfLink(link))
  const addition = useAction(async () => {
    if (await addToBio(url, new URL(link.original_url).hostname.replace(/^www\./, '')))
      notifySuccess({ title: 'Added', description: 'The link is on your bio page' })
    else notifyError({ title: 'Error', description: 'Failed to add the link to your bio page' })
  })

  if (isError) return <BehaviorRow Icon={BookUser}>Your bio page could not be loaded</BehaviorRow>
  // As high as the row, which moves nothing when it comes.
  if (page === undefined)
    return (
      <BehaviorRow Icon={BookUser}>
        <span aria-hidden className="block h-9" />
      </BehaviorRow>
    )
  const open = (name: string) => (
    <Link to={routes.bioLink.path} className={buttonClass('plain', 'small')}>
      {name}
    </Link>
  )
  if (page === null)
    return (
      <BehaviorRow Icon={BookUser} actions={open('Build one')}>
        You have no bio page yet
      </BehaviorRow>
    )
  const at = page.links.findIndex((other) => other.url === url)
  const title = page.links[at]?.title
  if (title !== undefined)
    return (
      <BehaviorRow Icon={BookUser} detail={`As “${title}”`} actions={open('Open')}>
        {ordinal(at + 1)} link of your bio page
      </BehaviorRow>
    )
  return (
    <BehaviorRow
      Icon={BookUser}
      actions={
        page.links.length >= maxBioLinks ? null : (
          <Button size="small" busy={addition.busy} onClick={() => addition.run()}>
            Add to bio page
          </Button>
        )
      }
    >
      Not on your bio page
    </BehaviorRow>
  )
}

const firstOrdinals = ['First', 'Second', 'Third', 'Fourth', 'Fifth']

const ordinal = (place: number) => firstOrdinals[place - 1] ?? `Number ${place}:`

/** The popup that visitors of the link see first. */
export function PopupUseRow({ link, userId, onEdit }: LinkUsesProps & { onEdit: () => void }) {
  const { data: popups } = useQuery(popupChoicesQuery(userId))
  const popup = popups?.find(({ id }) => id === link.popup_id)
  const change = (
    <Button size="small" onClick={onEdit}>
      {link.show_popup ? 'Change' : 'Choose'}
      <span className="sr-only"> the popup</span>
    </Button>
  )
  if (!link.show_popup)
    return (
      <BehaviorRow Icon={PanelTop} actions={change}>
        Shows no popup
      </BehaviorRow>
    )
  return (
    <BehaviorRow
      Icon={PanelTop}
      actions={
        <>
          {popup === undefined ? null : (
            <Link
              to={routes.popupGenerator.path}
              search={{ edit: popup.id }}
              className={buttonClass('plain', 'small')}
            >
              Open<span className="sr-only"> the popup</span>
            </Link>
          )}
          {change}
        </>
      }
    >
      {popup === undefined ? 'Shows a popup' : `Shows the popup “${popup.name}”`}
    </BehaviorRow>
  )
}
