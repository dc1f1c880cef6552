import { useEffect, useRef, useState } from 'react'
import { destinationNotice } from '#domain/links/destination-notice.ts'
import { readDestination } from '#domain/links/destinations.ts'
import { linkForm } from '#domain/forms/forms.ts'
import { notices } from '#domain/texts/texts.ts'
import { LazyChosenPopup } from '#web/popup-picker/lazy-chosen-popup.tsx'
import { PopupPicker } from '#web/popup-picker/popup-picker.tsx'
import { site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { StickyDialogActions } from '#web/ui/dialogs/sticky-dialog-actions.tsx'
import { Switch } from '#web/ui/fields/switch.tsx'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { refusalAt, useForm } from '#web/forms/use-form.ts'
import { BrokenExpectationDialog } from './broken-expectation-dialog.tsx'
import { type EditedLink, notifyRefusedChange, useSaveLink } from '../change-link.ts'
import { MoreOptions } from '../options/more-options.tsx'
import type { EnteredOptions } from '../options/check-options.ts'
import { loadRefusedField } from './load-refused-field.ts'
import { schemeHint } from './scheme-hint.ts'
import type { LinkRow } from '#web/api/database.ts'

interface EditDialogProps {
  link: LinkRow | undefined
  userId: string
  /** Opens with the options unfolded. */
  withOptions?: boolean | undefined
  onClose: () => void
}

export function EditDialog({ link, userId, withOptions, onClose }: EditDialogProps) {
  return (
    <Dialog open={link !== undefined} onClose={onClose} title="Edit Redirect URL">
      {link === undefined ? null : (
        <EditForm key={link.id} {...{ link, userId, withOptions, onClose }} />
      )}
    </Dialog>
  )
}

interface EditFormProps extends EditDialogProps {
  link: LinkRow
}

function EditForm({ link: newest, userId, withOptions = false, onClose }: EditFormProps) {
  // The row may be read again meanwhile: against a newer one, its untouched fields would count as changes.
  const [link] = useState(newest)
  const [url, setUrl] = useState(link.original_url)
  const [showPopup, setShowPopup] = useState(link.show_popup)
  const [popupId, setPopupId] = useState(link.popup_id)
  const [isDisabled, setDisabled] = useState(link.is_disabled)
  const [areOptionsOpen, setOptionsOpen] = useState(withOptions)
  const [options, setOptions] = useState<EnteredOptions>()

  const urlField = useRef<HTMLInputElement>(null)

  // The host comes into sight: a browser puts the cursor at the end of a long address.
  useEffect(() => {
    urlField.current?.setSelectionRange(0, 0)
    urlField.current?.scrollTo({ left: 0 })
  }, [])

  const { form, broken } = useEditForm({
    link,
    edited: { url, showPopup, popupId, isDisabled, options },
    onSaved: useWhileShown(onClose),
  })

  return (
    <form {...form.props} className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <Field
        label="Short code"
        value={link.short_code}
        readOnly
        className="border-transparent! bg-sunken! font-mono text-ink-soft!"
      />
      <Field
        label="Redirect URL"
        name="url"
        kind="url"
        data-first-focus
        ref={urlField}
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        error={form.errorOf('url')}
        hint={schemeHint(url)}
      />
      <Switch label="Enable Opt-in Popup" checked={showPopup} onChange={setShowPopup} />
      {showPopup ? (
        <PopupPicker
          name="popup"
          userId={userId}
          value={popupId}
          onChange={setPopupId}
          none="Select a popup"
          error={form.errorOf('popup')}
        />
      ) : null}
      {showPopup && popupId !== null ? <LazyChosenPopup {...{ userId, popupId }} /> : null}
      <Switch label="Active" checked={!isDisabled} onChange={(isOn) => setDisabled(!isOn)} />
      <MoreOptions
        {...{ userId, link }}
        destination={url}
        onDestination={setUrl}
        isOpen={areOptionsOpen}
        onOpen={() => setOptionsOpen(true)}
        entered={options}
        onChange={setOptions}
        errorOf={form.errorOf}
      />
      <StickyDialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="accent" busy={form.busy} className="max-sm:grow">
          {form.busy ? 'Saving...' : 'Save Changes'}
        </Button>
      </StickyDialogActions>
      <BrokenExpectationDialog broken={broken} />
    </form>
  )
}

interface EditedForm {
  link: LinkRow
  edited: {
    url: string
    showPopup: boolean
    popupId: string | null
    isDisabled: boolean
    options: EnteredOptions | undefined
  }
  onSaved: () => void
}

/** Saves the form, with a question before a save that breaks an expectation. */
function useEditForm({ link, edited: entered, onSaved }: EditedForm) {
  const { url, showPopup, popupId, isDisabled, options } = entered
  const save = useSaveLink()
  /** The name of the expectation that the change would break. */
  const [broken, setBroken] = useState<string>()
  const ignoresExpectations = useRef(false)
  const form = useForm({
    schema: linkForm,
    values: { url, code: '', popup: popupId, ...options?.values },
    submit: async () => {
      const destination = readDestination(url, { ownHosts: site.ownHosts })
      if (!destination.ok) return refusalAt('url', destinationNotice(destination.reason))
      if (showPopup && popupId === null) return refusalAt('popup', notices.popupMissing)
      if (options?.checked.ok === false) return options.checked
      const edited = {
        original_url: destination.url,
        show_popup: showPopup,
        popup_id: showPopup ? popupId : null,
        is_disabled: isDisabled,
      }
      const columns: Partial<EditedLink> =
        options === undefined
          ? edited
          : ({ ...edited, ...options.checked.columns } satisfies EditedLink)
      const error = await save(link, columns, ignoresExpectations.current)
      ignoresExpectations.current = false
      if (error === undefined) return onSaved()
      if (error.hint === 'expectation_failed') return setBroken(error.details ?? '')
      return (await loadRefusedField(error)) ?? notifyRefusedChange(error)
    },
  })

  return {
    form,
    broken:
      broken === undefined
        ? undefined
        : {
            details: broken,
            saveAnyway() {
              setBroken(undefined)
              ignoresExpectations.current = true
              form.submit()
            },
            close: () => setBroken(undefined),
          },
  }
}
