import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { popupNameOf } from '#domain/popups/popup-name.ts'
import { codeOfLink, namedOn } from '#domain/links/link-address.ts'
import { routes } from '#domain/routes.ts'
import { popupNotices } from '#domain/texts/popup-texts.ts'
import type { PopupRow } from '#web/api/database.ts'
import type { FoundLink } from '#web/api/link-search.ts'
import { LinkName } from '#web/link-name.tsx'
import { shownCode } from '#web/shown-link.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialogs/dialog.tsx'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { useSettled } from '#web/ui/hooks/use-settled.ts'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { popupChoicesQuery } from './popup-choices.ts'
import { bioPopupQuery, popupLinksQuery } from './popup-links-query.ts'
import { savePopupUses } from './save-popup-uses.ts'

interface UsePopupDialogProps {
  userId: string
  /** The dialog is open while there is one. */
  popup: Pick<PopupRow, 'id' | 'title' | 'name'> | undefined
  onClose: () => void
}

/** Chooses where a popup is used: any of the account's links, and the bio page. */
export function UsePopupDialog({ userId, popup, onClose }: UsePopupDialogProps) {
  return (
    <Dialog
      open={popup !== undefined}
      onClose={onClose}
      title="Add to links"
      description={
        popup && (
          <span className="wrap-anywhere">Where should visitors meet “{popupNameOf(popup)}”?</span>
        )
      }
    >
      {popup === undefined ? null : (
        <UseForm key={popup.id} userId={userId} popupId={popup.id} onClose={onClose} />
      )}
    </Dialog>
  )
}

interface UseFormProps {
  userId: string
  popupId: string
  onClose: () => void
}

function UseForm({ userId, popupId, onClose }: UseFormProps) {
  const client = useQueryClient()
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [onPage, setOnPage] = useState<boolean>()
  const close = useWhileShown(onClose)
  const bio = useQuery(bioPopupQuery(userId)).data
  const names = new Map(useQuery(popupChoicesQuery(userId)).data?.map(({ id, name }) => [id, name]))
  const noteOf = (used: string | null) =>
    used === null || used === popupId ? undefined : `shows “${names.get(used) ?? 'another popup'}”`
  const { busy, run } = useAction(async () => {
    try {
      await savePopupUses(client, { userId, popupId, links: chosen, bioPage: onPage })
      notifySuccess(popupNotices.usesSaved)
      close()
    } catch {
      notifyError(popupNotices.usesFailed)
    }
  })

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        run()
      }}
    >
      {bio === null || bio === undefined ? (
        <p className="min-h-11 text-sm text-ink-soft">{bio === undefined ? '' : <BioOffer />}</p>
      ) : (
        <div className="-mx-2">
          <UseRow
            name="Your bio page"
            detail={shownCode(namedOn({ name: bio.slug, domain: bio.domain }))}
            note={noteOf(bio.popup_id)}
            checked={onPage ?? bio.popup_id === popupId}
            onChange={setOnPage}
          />
        </div>
      )}
      <div className="mt-2 border-t border-line pt-4">
        <Field
          label="Find a link"
          type="search"
          data-first-focus
          autoComplete="off"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          // Enter must not save unseen changes.
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault()
          }}
        />
      </div>
      <LinkChoices
        userId={userId}
        popupId={popupId}
        search={search.trim()}
        noteOf={noteOf}
        isOn={(link) => chosen.get(link.id) ?? link.popup_id === popupId}
        onChange={(link, on) => setChosen(withChoice(chosen, link, on, popupId))}
      />
      <DialogActions>
        <Button onClick={onClose}>Not now</Button>
        <Button type="submit" look="accent" busy={busy}>
          {busy ? 'Saving...' : 'Save'}
        </Button>
      </DialogActions>
    </form>
  )
}

/** Only differences from the stored uses are kept, so that a save writes nothing else. */
function withChoice(
  chosen: ReadonlyMap<string, boolean>,
  link: FoundLink,
  on: boolean,
  popupId: string,
): ReadonlyMap<string, boolean> {
  const next = new Map(chosen)
  if (on === (link.popup_id === popupId)) next.delete(link.id)
  else next.set(link.id, on)
  return next
}

function BioOffer() {
  return (
    <>
      You have no bio page yet.{' '}
      <Link
        to={routes.bioLink.path}
        className="font-medium text-accent-text underline underline-offset-4"
      >
        Make one
      </Link>
    </>
  )
}

interface LinkChoicesProps {
  userId: string
  popupId: string
  search: string
  noteOf: (used: string | null) => string | undefined
  isOn: (link: FoundLink) => boolean
  onChange: (link: FoundLink, on: boolean) => void
}

function LinkChoices({ userId, popupId, search, noteOf, isOn, onChange }: LinkChoicesProps) {
  const query = useQuery(popupLinksQuery(userId, popupId, useSettled(search)))
  if (query.isError) {
    return (
      <FailedLine
        retry={() => void query.refetch()}
        className="h-64 justify-between gap-4 text-danger"
      >
        {popupNotices.linksFailed.title}
      </FailedLine>
    )
  }
  const links = query.data ?? []
  return (
    <fieldset
      aria-busy={query.isPending}
      className="-mx-2 mt-2 h-[min(16rem,40dvh)] min-w-0 overflow-y-auto"
    >
      <legend className="sr-only">Links</legend>
      {links.map((link) => (
        <UseRow
          key={link.id}
          name={<LinkName code={codeOfLink(link)} title={link.title} isInline isPlain />}
          detail={link.original_url.replace(/^https?:\/\/(www\.)?/, '')}
          note={noteOf(link.popup_id)}
          checked={isOn(link)}
          onChange={(on) => onChange(link, on)}
        />
      ))}
      {query.isSuccess && links.length === 0 ? (
        <p className="grid h-full place-items-center text-sm text-ink-soft">
          {search === '' ? 'No links yet' : 'No link matches'}
        </p>
      ) : null}
    </fieldset>
  )
}

interface UseRowProps {
  name: ReactNode
  detail: string
  /** The other popup that it shows now. */
  note: string | undefined
  checked: boolean
  onChange: (checked: boolean) => void
}

/** A place where a popup can be used, with a checkbox. */
function UseRow({ name, detail, note, checked, onChange }: UseRowProps) {
  return (
    <label className="grid min-h-14 cursor-pointer grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 rounded-xl px-2 py-1 hover:bg-sunken">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="row-span-2 size-5 cursor-pointer accent-ink"
      />
      <span className="min-w-0 self-end truncate text-sm font-medium">{name}</span>
      <span className="col-start-2 self-start truncate text-xs text-ink-faint">
        {note ?? detail}
      </span>
    </label>
  )
}
