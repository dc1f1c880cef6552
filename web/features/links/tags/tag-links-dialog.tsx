import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import { linkLimits, linkRefusals, linkSentences } from '#domain/links/link-limits.ts'
import { notices } from '#domain/texts/texts.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { useForm } from '#web/forms/use-form.ts'
import { readTags, updateLinks } from '../archive-links.ts'
import type { LinkRow } from '#web/api/database.ts'
import { RemovedTags } from '#web/tags/removed-tags.tsx'
import { TagField } from './tag-field.tsx'
import { joinedTags } from '#web/tags/tag-names.ts'
import { tagChanges, tagsOfLinks } from './tagged-links.ts'
import { tagsQuery } from '#web/api/tags-query.ts'

interface TagLinksDialogProps {
  userId: string
  /** The dialog is open while there are some. */
  links: readonly LinkRow[]
  onClose: () => void
}

/** Adds tags to several links, and removes tags from them. */
export function TagLinksDialog({ links, ...props }: TagLinksDialogProps) {
  const title = links.length === 1 ? 'Tags of this link' : `Tags of ${links.length} links`
  return (
    <Dialog open={links.length > 0} onClose={props.onClose} title={title}>
      {links.length === 0 ? null : <TagLinksForm {...props} links={links} />}
    </Dialog>
  )
}

const tagLinksForm = z.object({ tagText: z.string() })

function TagLinksForm({ userId, links, onClose }: TagLinksDialogProps) {
  const client = useQueryClient()
  const known = useQuery(tagsQuery(userId)).data ?? []
  const [added, setAdded] = useState<{ tags: readonly string[]; text: string }>({
    tags: [],
    text: '',
  })
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set())
  const present = tagsOfLinks(links)
  const close = useWhileShown(onClose)

  const form = useForm({
    schema: tagLinksForm,
    values: { tagText: added.text },
    submit: async ({ tagText }) => {
      // Not the loaded rows: a list of tags is stored as a whole, without those that were added elsewhere meanwhile.
      const stored = await readTags(links.map(({ id }) => id))
      if (stored === null) return notifyError(notices.updateFailed)
      const changes = tagChanges(stored, joinedTags(added.tags, tagText), removed)
      const problem = problemOf(changes.flatMap(({ tags }) => [tags]))
      if (problem !== undefined) return { field: 'tagText', text: problem }
      let isSaved = true
      for (const { ids, tags } of changes)
        isSaved = (await updateLinks(client, ids, { tags })) && isSaved
      if (!isSaved) return notifyError(notices.updateFailed)
      notifySuccess(notices.tagsSaved)
      return close()
    },
  })

  return (
    <form {...form.props} className="grid gap-5">
      <TagField
        userId={userId}
        label="Add tags"
        name="tagText"
        tags={added.tags}
        text={added.text}
        onChange={(tags, text) => setAdded({ tags, text })}
        error={form.errorOf('tagText')}
      />
      <RemovedTags {...{ known, present, removed }} onChange={setRemoved} />
      <FormActions action="Save tags" busyAction="Saving..." busy={form.busy} onCancel={onClose} />
    </form>
  )
}

function problemOf(lists: readonly (readonly string[])[]): string | undefined {
  if (lists.some((tags) => tags.length > linkLimits.tags)) return linkRefusals.tagsOfLink
  if (lists.some((tags) => tags.some((name) => Array.from(name).length > linkLimits.tag)))
    return linkSentences.tags_name_check
  return undefined
}
