import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { notices } from '#domain/texts/texts.ts'
import type { LinkRow } from '#web/api/database.ts'
import { PopupPicker } from '#web/popup-picker/popup-picker.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialogs/dialog.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { updateLinks } from '../archive-links.ts'

interface PopupOfLinksProps {
  userId: string
  /** The dialog is open while there are some. */
  links: readonly LinkRow[]
  onClose: () => void
}

/** Gives several links the same popup, or none. */
export function PopupOfLinksDialog({ userId, links, onClose }: PopupOfLinksProps) {
  return (
    <Dialog
      open={links.length > 0}
      onClose={onClose}
      title={links.length === 1 ? 'Popup of this link' : `Popup of ${links.length} links`}
    >
      {links.length === 0 ? null : <PopupOfLinks {...{ userId, links, onClose }} />}
    </Dialog>
  )
}

function PopupOfLinks({ userId, links, onClose }: PopupOfLinksProps) {
  const client = useQueryClient()
  const [popupId, setPopupId] = useState(commonPopup(links))
  const close = useWhileShown(onClose)
  const save = useAction(async () => {
    const ids = links.map(({ id }) => id)
    const change = { show_popup: popupId !== null, popup_id: popupId }
    if (!(await updateLinks(client, ids, change))) return notifyError(notices.updateFailed)
    notifySuccess({ title: 'Updated!', description: `Popup of ${ids.length} links saved` })
    return close()
  })
  return (
    <>
      <PopupPicker userId={userId} value={popupId} onChange={setPopupId} none="No popup" />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="accent" busy={save.busy} onClick={() => save.run()}>
          {save.busy ? 'Saving...' : 'Save popup'}
        </Button>
      </DialogActions>
    </>
  )
}

/** The popup that all of them show; null when they differ. */
function commonPopup(links: readonly LinkRow[]): string | null {
  const shown = new Set(links.map(({ show_popup, popup_id }) => (show_popup ? popup_id : null)))
  const [only = null] = shown
  return shown.size === 1 ? only : null
}
