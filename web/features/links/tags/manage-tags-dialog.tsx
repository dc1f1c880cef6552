import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ChartColumn, Trash2 } from 'lucide-react'
import * as z from 'zod/mini'
import { tables } from '#web/api/client.ts'
import { Button, IconButton } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { useConfirmed } from '#web/ui/dialogs/use-confirmed.tsx'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { changeLoadedLinks } from '../links-query.ts'
import { refusalNotice } from '#web/api/refusal-notice.ts'
import { type TagRow, tagsQuery } from '#web/api/tags-query.ts'

interface ManageTagsDialogProps {
  userId: string
  open: boolean
  onClose: () => void
  /** A tag has another name, or null when it is gone. */
  onRenamed: (before: string, name: string | null) => void
  /** Opens the shared report of a tag. */
  onShare: (tag: TagRow) => void
}

/** Renames, recolors and deletes tags, on all links that have them. */
export function ManageTagsDialog({ open, onClose, ...props }: ManageTagsDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Tags">
      {open ? <TagList {...props} /> : null}
    </Dialog>
  )
}

function TagList({ userId, onRenamed, onShare }: Omit<ManageTagsDialogProps, 'open' | 'onClose'>) {
  const client = useQueryClient()
  const query = useQuery(tagsQuery(userId))

  function rename(before: string, name: string | null) {
    changeLoadedLinks(client, (link) =>
      link.tags.includes(before)
        ? { ...link, tags: link.tags.flatMap((tag) => (tag === before ? (name ?? []) : tag)) }
        : link,
    )
    onRenamed(before, name)
  }

  const deletion = useConfirmed<TagRow>({
    title: 'Delete this tag?',
    describe: ({ name }) => `“${name}” leaves all links that have it. The links stay.`,
    action: 'Delete',
    busyAction: 'Deleting...',
    run: async ({ id, name }) => {
      await tables.from('tags').delete().eq('id', id).throwOnError()
      rename(name, null)
    },
    done: ({ name }) => ({ title: 'Tag deleted', description: name }),
    failed: () => ({ title: 'Error', description: 'Failed to delete the tag' }),
    queryKey: tagsQuery(userId).queryKey,
  })

  if (query.isError)
    return (
      <FailedLine retry={() => void query.refetch()}>Your tags could not be loaded.</FailedLine>
    )
  if (query.data === undefined) return <p className="text-sm text-ink-faint">Loading your tags</p>
  if (query.data.length === 0) return <p className="text-sm text-ink-soft">You have no tags yet.</p>
  return (
    <>
      <ul className="grid gap-4">
        {query.data.map((tag) => (
          <li key={tag.id}>
            <TagForm
              tag={tag}
              userId={userId}
              onRenamed={(name) => rename(tag.name, name)}
              onShare={() => onShare(tag)}
              onDelete={() => deletion.ask(tag)}
            />
          </li>
        ))}
      </ul>
      {deletion.dialog}
    </>
  )
}

interface TagFormProps {
  tag: TagRow
  userId: string
  onRenamed: (name: string) => void
  onShare: () => void
  onDelete: () => void
}

const tagForm = z.object({ name: z.string(), color: z.string() })

function TagForm({ tag, userId, onRenamed, onShare, onDelete }: TagFormProps) {
  const client = useQueryClient()
  const isOther = ({ name, color }: z.infer<typeof tagForm>) =>
    name.trim() !== tag.name || color !== tag.color

  const form = useFormFields({
    schema: tagForm,
    initial: tag,
    submit: async (typed) => {
      if (!isOther(typed)) return undefined
      const wanted = { ...typed, name: typed.name.trim() }
      const { error } = await tables.from('tags').update(wanted).eq('id', tag.id)
      if (error !== null) {
        const text =
          error.code === '23505' ? 'You have a tag with this name' : refusalNotice(error)?.title
        return text === undefined
          ? { notice: { title: 'Error', description: 'Failed to save the tag' } }
          : { field: 'name', text }
      }
      if (wanted.name !== tag.name) onRenamed(wanted.name)
      notifySuccess({ title: 'Tag saved' })
      await client.invalidateQueries(tagsQuery(userId))
      return undefined
    },
  })

  return (
    <form {...form.props} className="flex items-start gap-2">
      <span className="relative size-11 shrink-0 overflow-hidden rounded-xl border border-edge">
        <input
          type="color"
          name="color"
          aria-label={`Color of ${tag.name}`}
          value={form.values.color}
          onChange={form.text('color').onChange}
          className="absolute -inset-2 h-[calc(100%+1rem)] w-[calc(100%+1rem)] cursor-pointer"
        />
      </span>
      <div className="min-w-0 grow">
        <Field label={`Name of ${tag.name}`} hideLabel kind="verbatim" {...form.text('name')} />
      </div>
      {isOther(form.values) ? (
        <Button type="submit" look="accent" busy={form.busy} className="px-3.5!">
          Save
        </Button>
      ) : (
        <span className="flex">
          <IconButton label={`Share ${tag.name}`} onClick={onShare} className="size-11!">
            <ChartColumn size={17} aria-hidden />
          </IconButton>
          <IconButton label={`Delete ${tag.name}`} onClick={onDelete} className="size-11!">
            <Trash2 size={17} aria-hidden />
          </IconButton>
        </span>
      )}
    </form>
  )
}
