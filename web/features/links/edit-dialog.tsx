import { useRef, useState, type FormEvent } from 'react'
import { checkDestination } from '#domain/destinations.ts'
import { notices } from '#domain/texts.ts'
import { PopupPicker } from '#web/popup-picker/popup-picker.tsx'
import { site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { Switch } from '#web/ui/switch.tsx'
import type { LinkRow } from './link-row-columns.ts'
import { useUpdateLink } from './update-link.ts'

interface EditDialogProps {
  link: LinkRow | undefined
  userId: string
  onClose: () => void
}

export function EditDialog({ link, userId, onClose }: EditDialogProps) {
  return (
    <Dialog open={link !== undefined} onClose={onClose} title="Edit Redirect URL">
      {link === undefined ? null : (
        <EditForm key={link.id} link={link} userId={userId} onClose={onClose} />
      )}
    </Dialog>
  )
}

interface EditFormProps extends EditDialogProps {
  link: LinkRow
}

function EditForm({ link, userId, onClose }: EditFormProps) {
  const update = useUpdateLink()
  const [url, setUrl] = useState(link.original_url)
  const [showPopup, setShowPopup] = useState(link.show_popup)
  const [popupId, setPopupId] = useState(link.popup_id)
  const [problem, setProblem] = useState<'url' | 'popup'>()
  const urlField = useRef<HTMLInputElement>(null)
  const popupField = useRef<HTMLSelectElement>(null)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (update.isPending) return
    const destination = checkDestination(url.trim(), { ownHosts: site.ownHosts })
    if (!destination.ok) {
      setProblem('url')
      urlField.current?.focus()
      return notifyError(notices.invalidUrl)
    }
    if (showPopup && popupId === null) {
      setProblem('popup')
      popupField.current?.focus()
      return notifyError(notices.popupMissing)
    }
    setProblem(undefined)
    update.mutate(
      { id: link.id, originalUrl: destination.url, showPopup, popupId },
      {
        onSuccess: () => {
          notifySuccess(notices.updated)
          onClose()
        },
        onError: () => notifyError(notices.updateFailed),
      },
    )
  }

  return (
    <form noValidate onSubmit={submit} className="grid gap-5">
      <Field
        label="Short code"
        value={link.short_code}
        readOnly
        className="bg-sunken font-mono text-ink-soft"
      />
      <Field
        ref={urlField}
        label="Redirect URL"
        type="url"
        inputMode="url"
        autoComplete="off"
        data-first-focus
        spellCheck={false}
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        error={problem === 'url' ? notices.invalidUrl.description : undefined}
      />
      <Switch label="Enable Opt-in Popup" checked={showPopup} onChange={setShowPopup} />
      {showPopup ? (
        <PopupPicker
          ref={popupField}
          userId={userId}
          value={popupId}
          onChange={setPopupId}
          none="Select a popup"
          error={problem === 'popup' ? notices.popupMissing.description : undefined}
        />
      ) : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="accent" busy={update.isPending}>
          {update.isPending ? 'Saving...' : 'Save Changes'}
        </Button>
      </DialogActions>
    </form>
  )
}
