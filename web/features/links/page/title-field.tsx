import { Pencil } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { fitsLinkText, linkTextSentence } from '#domain/links/link-limits.ts'
import { notices } from '#domain/texts/texts.ts'
import { useRights } from '#web/session/space/rights.ts'
import { IconButton } from '#web/ui/button.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { useUpdateLink } from '../change-link.ts'
import type { LinkRow } from '#web/api/database.ts'

/** The title of a link, changed in its place: Enter saves, Escape does not. */
export function TitleField({ link }: { link: LinkRow }) {
  const [isEditing, setEditing] = useState(false)
  const mayWrite = useRights()('links:write')
  const pencil = useRef<HTMLSpanElement>(null)
  // The pencil is there again with the next rendering. A person who has gone on to something else stays there.
  const close = () => {
    setEditing(false)
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) pencil.current?.querySelector('button')?.focus()
    })
  }
  if (isEditing) return <TitleForm link={link} onClose={close} />
  return (
    <span ref={pencil} className="flex min-w-0 items-center">
      {link.title === null ? null : (
        <span dir="auto" className="line-clamp-2 min-w-0 font-medium wrap-anywhere">
          {link.title}
        </span>
      )}
      {!mayWrite ? null : link.title === null ? (
        <button
          type="button"
          onClick={() => setEditing(true)}
          className="inline-flex min-h-8 items-center gap-1.5 rounded-md text-sm text-ink-faint hover:text-ink pointer-coarse:min-h-11"
        >
          <Pencil size={14} aria-hidden />
          Add a title
        </button>
      ) : (
        <IconButton label="Edit the title" className="size-8!" onClick={() => setEditing(true)}>
          <Pencil size={14} aria-hidden />
        </IconButton>
      )}
    </span>
  )
}

function TitleForm({ link, onClose }: { link: LinkRow; onClose: () => void }) {
  const update = useUpdateLink()
  const [title, setTitle] = useState(link.title ?? '')
  const close = useWhileShown(onClose)
  const save = useAction(async () => {
    const text = title.trim()
    if (text === (link.title ?? '')) return close()
    if (!fitsLinkText('title', text))
      return notifyError({ title: 'Error', description: linkTextSentence('title') })
    if (await update(link, { title: text === '' ? null : text }, notices.titleSaved)) close()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.run()
  }
  return (
    <form onSubmit={submit} className="min-w-48 grow basis-48">
      <input
        aria-label="Title"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it takes the place of the pressed button
        autoFocus
        autoComplete="off"
        placeholder="Title"
        value={title}
        aria-busy={save.busy}
        onChange={(event) => setTitle(event.target.value)}
        onBlur={() => save.run()}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose()
        }}
        className="h-9 w-full rounded-xl border border-edge bg-surface px-3 text-base font-medium pointer-coarse:h-11"
      />
    </form>
  )
}
