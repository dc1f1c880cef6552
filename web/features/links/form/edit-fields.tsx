import { useEffect, useRef } from 'react'
import type { LinkRow } from '#web/api/database.ts'
import { LazyChosenPopup } from '#web/popup-picker/lazy-chosen-popup.tsx'
import { PopupPicker } from '#web/popup-picker/popup-picker.tsx'
import { shownHost } from '#web/shown-link.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { Switch } from '#web/ui/fields/switch.tsx'
import type { OptionsDraft } from '../options/options-draft.ts'
import { schemeHint } from './scheme-hint.ts'

/** The form of a saved link as it is typed. */
export interface Edited {
  url: string
  showPopup: boolean
  popupId: string | null
  isDisabled: boolean
  /** Undefined until one is touched: they are saved only then. */
  options: OptionsDraft | undefined
}

export function editedOf(link: LinkRow): Edited {
  return {
    url: link.original_url,
    showPopup: link.show_popup,
    popupId: link.popup_id,
    isDisabled: link.is_disabled,
    options: undefined,
  }
}

interface EditFieldsProps {
  link: LinkRow
  userId: string
  edited: Edited
  change: (part: Partial<Edited>) => void
  errorOf: (field: string) => string | undefined
}

/** The fields that the form of a saved link always shows. */
export function EditFields({ link, userId, edited, change, errorOf }: EditFieldsProps) {
  const { url, showPopup, popupId, isDisabled } = edited
  const urlField = useRef<HTMLInputElement>(null)
  // The host comes into sight: a browser puts the cursor at the end of a long address.
  useEffect(() => {
    urlField.current?.setSelectionRange(0, 0)
    urlField.current?.scrollTo({ left: 0 })
  }, [])
  return (
    <>
      <Field
        label="Short code"
        leading={link.domain === null ? undefined : `${shownHost(link.domain)}/`}
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
        onChange={({ target }) => change({ url: target.value })}
        error={errorOf('url')}
        hint={schemeHint(url)}
      />
      <Switch
        label="Enable Opt-in Popup"
        checked={showPopup}
        onChange={(isOn) => change({ showPopup: isOn })}
      />
      {showPopup ? (
        <PopupPicker
          name="popup"
          userId={userId}
          value={popupId}
          onChange={(chosen) => change({ popupId: chosen })}
          none="Select a popup"
          error={errorOf('popup')}
        />
      ) : null}
      {showPopup && popupId !== null ? <LazyChosenPopup {...{ userId, popupId }} /> : null}
      <Switch
        label="Active"
        checked={!isDisabled}
        onChange={(isOn) => change({ isDisabled: !isOn })}
      />
    </>
  )
}
