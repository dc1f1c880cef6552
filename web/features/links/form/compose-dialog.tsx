import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { readDestination } from '#domain/links/destinations.ts'
import { linkForm } from '#domain/forms/forms.ts'
import { normalizeShortCode } from '#domain/links/short-codes.ts'
import { popupChoicesQuery } from '#web/popup-picker/popup-choices.ts'
import { PopupPicker } from '#web/popup-picker/popup-picker.tsx'
import { site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { Key } from '#web/ui/key.tsx'
import { StickyDialogActions } from '#web/ui/dialogs/sticky-dialog-actions.tsx'
import { modKey } from '#web/ui/hooks/use-shortcuts.ts'
import { refusalAt, useForm } from '#web/forms/use-form.ts'
import { BioSwitch } from './bio-switch.tsx'
import { ComposePreview } from './compose-preview.tsx'
import { MoreOptions } from '../options/more-options.tsx'
import type { EnteredOptions } from '../options/check-options.ts'
import { loadRefusedField } from './load-refused-field.ts'
import { schemeHint } from './scheme-hint.ts'
import { SameDestination } from './same-destination.tsx'
import { ShortCodeField } from './short-code-field.tsx'
import { decideShorten } from '../home/shorten-decision.ts'
import { useCreateLink } from './use-create-link.ts'
import type { LinkRow } from '#web/api/database.ts'

interface ComposeDialogProps {
  userId: string
  /** Initial values of the dialog. */
  destination?: string | undefined
  code?: string | undefined
  open: boolean
  onClose: () => void
  onCreated: (link: LinkRow) => void
}

interface ComposeDraft {
  url: string
  code: string
  popupId: string | null
  isOnBio: boolean
  bioTitle: string
  areOptionsOpen: boolean
  options: EnteredOptions | undefined
}

const emptyForm: ComposeDraft = {
  url: '',
  code: '',
  popupId: null,
  isOnBio: false,
  bioTitle: '',
  areOptionsOpen: false,
  options: undefined,
}

/** Makes a link from any screen. Input stays when the dialog is closed without making it, and so does a request: it is sent once. */
export function ComposeDialog({
  userId,
  destination = '',
  code = '',
  open,
  onClose,
  onCreated,
}: ComposeDialogProps) {
  const [draft, setDraft] = useState({ ...emptyForm, url: destination, code })
  const latest = useRef({ draft, open })
  useEffect(() => {
    latest.current = { draft, open }
  })
  const form = useComposeForm(userId, draft, (link) => {
    // Later input stays.
    if (latest.current.draft !== draft) return
    setDraft(emptyForm)
    if (latest.current.open) onCreated(link)
  })
  return (
    <Dialog open={open} onClose={onClose} title="New link" shape="wide">
      <ComposeFields
        {...{ userId, draft, form, onClose }}
        onChange={(change) => setDraft((now) => ({ ...now, ...change }))}
      />
    </Dialog>
  )
}

interface ComposeFieldsProps extends Pick<ComposeDialogProps, 'userId' | 'onClose'> {
  draft: ComposeDraft
  form: ReturnType<typeof useComposeForm>
  onChange: (change: Partial<ComposeDraft>) => void
}

function ComposeFields({ userId, draft, form, onChange, onClose }: ComposeFieldsProps) {
  const { data: popups } = useQuery(popupChoicesQuery(userId))
  const destination = destinationOf(draft.url)

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- hears keys from its own fields
    <form
      {...form.props}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
          event.currentTarget.requestSubmit()
      }}
      onClick={(event) => {
        // A link to another screen, for example to make the first popup.
        if (event.target instanceof Element && event.target.closest('a') !== null) onClose()
      }}
    >
      <div className="grid gap-6 sm:grid-cols-[minmax(0,1fr)_14rem]">
        <div className="grid content-start gap-5">
          <Field
            label="Destination"
            name="url"
            kind="url"
            placeholder="https://example.com/a-very-long-address"
            data-first-focus
            value={draft.url}
            onChange={(event) => onChange({ url: event.target.value })}
            hint={schemeHint(draft.url)}
            error={form.errorOf('url')}
          />
          <SameDestination {...{ userId, destination }} />
          <ShortCodeField
            userId={userId}
            value={draft.code}
            onChange={(code) => onChange({ code })}
            error={form.errorOf('code')}
          />
          <PopupPicker
            name="popup"
            userId={userId}
            value={draft.popupId}
            onChange={(popupId) => onChange({ popupId })}
            none="No popup"
            error={form.errorOf('popup')}
          />
          <BioSwitch
            userId={userId}
            isOn={draft.isOnBio}
            title={draft.bioTitle}
            placeholder={destination === undefined ? '' : titleOf(destination)}
            onChange={onChange}
          />
          <MoreOptions
            {...{ userId, link: undefined }}
            destination={draft.url}
            onDestination={(url) => onChange({ url })}
            isOpen={draft.areOptionsOpen}
            onOpen={() => onChange({ areOptionsOpen: true })}
            entered={draft.options}
            onChange={(options) => onChange({ options })}
            errorOf={form.errorOf}
          />
        </div>
        <ComposePreview
          code={normalizeShortCode(draft.code)}
          destination={destination}
          popupTitle={popups?.find(({ id }) => id === draft.popupId)?.name}
        />
      </div>
      <StickyDialogActions>
        <p className="mr-auto text-sm text-ink-faint max-sm:hidden">Copies to your clipboard</p>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="accent" busy={form.busy} className="max-sm:grow">
          {form.busy ? 'Creating...' : 'Create and copy'}
          <Key className="max-sm:hidden pointer-coarse:hidden">{modKey}↵</Key>
        </Button>
      </StickyDialogActions>
    </form>
  )
}

function useComposeForm(userId: string, draft: ComposeDraft, onCreated: (link: LinkRow) => void) {
  const create = useCreateLink(userId)
  return useForm({
    schema: linkForm,
    values: { url: draft.url, code: draft.code, popup: draft.popupId, ...draft.options?.values },
    submit: async ({ url, code }) => {
      const decision = decideShorten({
        url,
        code,
        signedIn: true,
        ownHosts: site.ownHosts,
      })
      if (decision.kind === 'refuse') return refusalAt(decision.field, decision.notice)
      if (decision.kind !== 'create') return undefined
      const options = draft.options?.checked
      if (options?.ok === false) return options
      const result = await create({
        url: decision.url,
        customCode: decision.customCode,
        popupId: draft.popupId,
        options: options?.columns,
        bioTitle: draft.isOnBio ? draft.bioTitle.trim() || titleOf(decision.url) : null,
      })
      if (!result.ok) {
        const atField = result.error && (await loadRefusedField(result.error))
        return atField ?? refusalAt(result.field, result.notice)
      }
      return onCreated(result.link)
    },
  })
}

/** The address that was typed as it would be stored, with https:// where the scheme is missing. */
function destinationOf(typed: string): string | undefined {
  const checked = readDestination(typed, { ownHosts: site.ownHosts })
  return checked.ok ? checked.url : undefined
}

function titleOf(url: string): string {
  return new URL(url).hostname.replace(/^www\./, '')
}
