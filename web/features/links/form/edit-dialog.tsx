import { useQuery } from '@tanstack/react-query'
import { type Ref, useImperativeHandle, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { destinationNotice } from '#domain/links/destination-notice.ts'
import { readDestination } from '#domain/links/destinations.ts'
import { codeOfLink } from '#domain/links/link-address.ts'
import { linkForm } from '#domain/forms/forms.ts'
import { notices } from '#domain/texts/texts.ts'
import { site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { Key } from '#web/ui/key.tsx'
import { modKey } from '#web/ui/hooks/use-shortcuts.ts'
import { StickyDialogActions } from '#web/ui/dialogs/sticky-dialog-actions.tsx'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { refusalAt, useForm } from '#web/forms/use-form.ts'
import { BrokenExpectationDialog } from './broken-expectation-dialog.tsx'
import { type EditedLink, notifyRefusedChange, useSaveLink } from '../change-link.ts'
import { LazyOptionPanel } from '../options/lazy-option-panel.tsx'
import { countSet, type LinkSection, sectionOfField } from '../options/option-sections.ts'
import { optionsDraftOf } from '../options/options-draft.ts'
import { utmOf, withUtm } from '../options/utm.ts'
import { linkRulesQuery } from '../rules/rules-query.ts'
import { EditFields, type Edited, editedOf } from './edit-fields.tsx'
import { FormSections } from './form-sections.tsx'
import { RulesLink } from './rules-link.tsx'
import { loadRefusedField } from './load-refused-field.ts'
import type { LinkRow } from '#web/api/database.ts'

interface EditDialogProps {
  link: LinkRow | undefined
  userId: string
  /** The part that is open first. */
  section?: LinkSection | undefined
  onClose: () => void
}

export function EditDialog({ link, userId, section, onClose }: EditDialogProps) {
  const form = useRef<EditHandle>(null)
  const [isLeaving, setLeaving] = useState<true>()
  const leave = () => {
    if (form.current?.isUnsaved !== true) return true
    setLeaving(true)
    return false
  }
  return (
    <Dialog
      open={link !== undefined}
      onClose={onClose}
      mayClose={leave}
      title="Edit Redirect URL"
      shape="form"
    >
      {link === undefined ? null : (
        <EditForm
          key={link.id}
          {...{ link, userId, section, onClose }}
          ref={form}
          onCancel={() => {
            if (leave()) onClose()
          }}
        />
      )}
      <ConfirmDialog
        subject={isLeaving}
        title="Discard the changes?"
        describe={() => 'What you typed is not saved yet.'}
        action="Discard"
        busyAction="Discard"
        busy={false}
        onClose={() => setLeaving(undefined)}
        onConfirm={() => {
          setLeaving(undefined)
          onClose()
        }}
      />
    </Dialog>
  )
}

interface EditHandle {
  /** Whether something was typed that is not saved. */
  isUnsaved: boolean
}

interface EditFormProps extends EditDialogProps {
  link: LinkRow
  ref: Ref<EditHandle>
  onCancel: () => void
}

function EditForm(props: EditFormProps) {
  const { link: newest, userId, section = 'link', onClose, onCancel, ref } = props
  // The row may be read again meanwhile: against a newer one, its untouched fields would count as changes.
  const [link] = useState(newest)
  const [saved] = useState(() => editedOf(link))
  const [edited, setEdited] = useState(saved)
  const change = (part: Partial<Edited>) => setEdited((now) => ({ ...now, ...part }))
  const [open, setOpen] = useState<LinkSection | undefined>(section)
  const { form, broken } = useEditForm({
    link,
    edited,
    reveal: (field) => {
      const wanted = sectionOfField(field)
      if (wanted !== undefined) flushSync(() => setOpen(wanted))
    },
    onSaved: useWhileShown(onClose),
  })
  const rules = useQuery(linkRulesQuery(link.id)).data?.rules
  const { url, options } = edited
  const utm = utmOf(url)
  const counts = countSet({
    options: options ?? optionsDraftOf(link),
    hasPassword: link.has_password,
    utm,
  })
  // A save that is on its way loses nothing.
  const isUnsaved = !form.busy && JSON.stringify(edited) !== JSON.stringify(saved)
  useImperativeHandle(ref, () => ({ isUnsaved }), [isUnsaved])

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- hears keys from its own fields
    <form
      {...form.props}
      className="sm:grid sm:min-h-0 sm:grid-cols-[minmax(0,1fr)] sm:grid-rows-[minmax(0,1fr)_auto]"
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault()
          form.submit()
        }
      }}
    >
      <FormSections
        counts={{ ...counts, rules: rules?.length ?? 0 }}
        open={open}
        onOpen={setOpen}
        render={(shown) =>
          shown === 'rules' ? (
            <RulesLink code={codeOfLink(link)} rules={rules} onOpen={onCancel} />
          ) : (
            <LazyOptionPanel
              {...{ section: shown, userId, link }}
              utm={utm}
              onUtm={(changed) => change({ url: withUtm(url, changed) })}
              entered={options}
              onChange={(entered) => change({ options: entered })}
              errorOf={form.errorOf}
            />
          )
        }
      >
        <EditFields {...{ link, userId, edited, change, errorOf: form.errorOf }} />
      </FormSections>
      <StickyDialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="accent" busy={form.busy} className="max-sm:grow">
          {form.busy ? 'Saving...' : 'Save Changes'}
          <Key className="max-sm:hidden pointer-coarse:hidden">{modKey}↵</Key>
        </Button>
      </StickyDialogActions>
      <BrokenExpectationDialog broken={broken} />
    </form>
  )
}

interface EditedForm {
  link: LinkRow
  edited: Edited
  /** Opens the part of the form that has a field. */
  reveal: (field: string) => void
  onSaved: () => void
}

/** Saves the form, with a question before a save that breaks an expectation. */
function useEditForm({ link, edited: entered, reveal, onSaved }: EditedForm) {
  const { url, showPopup, popupId, isDisabled, options } = entered
  const save = useSaveLink()
  /** The name of the expectation that the change would break. */
  const [broken, setBroken] = useState<string>()
  const ignoresExpectations = useRef(false)
  const form = useForm({
    schema: linkForm,
    values: { url, code: '', popup: popupId, ...options },
    reveal,
    submit: async () => {
      const destination = readDestination(url, { ownHosts: site.ownHosts })
      if (!destination.ok) return refusalAt('url', destinationNotice(destination.reason))
      if (showPopup && popupId === null) return refusalAt('popup', notices.popupMissing)
      const checked = options && (await loadCheck())(options, link, site.ownHosts)
      if (checked?.ok === false) return checked
      const edited = {
        original_url: destination.url,
        show_popup: showPopup,
        popup_id: showPopup ? popupId : null,
        is_disabled: isDisabled,
      }
      const columns: Partial<EditedLink> =
        checked === undefined ? edited : ({ ...edited, ...checked.columns } satisfies EditedLink)
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

// Its script is that of the options, which are on the screen by then.
const loadCheck = async () => (await import('../options/check-options.ts')).checkOptions
