import { useState } from 'react'
import type { LeadRow } from '#web/api/database.ts'
import { RemovedTags } from '#web/tags/removed-tags.tsx'
import { TagInput } from '#web/tags/tag-input.tsx'
import { joinedTags } from '#web/tags/tag-names.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { useTagLeads } from './change-leads.ts'

interface TagLeadsDialogProps {
  userId: string
  /** The dialog is open while there are some. */
  leads: readonly LeadRow[] | undefined
  /** Tags of all addresses, which are suggested. */
  tags: readonly string[]
  onSaved: () => void
  onClose: () => void
}

/** Adds tags to several addresses, and removes tags from them. */
export function TagLeadsDialog({ leads = [], ...rest }: TagLeadsDialogProps) {
  const title = leads.length === 1 ? 'Tags of this address' : `Tags of ${leads.length} addresses`
  return (
    <Dialog open={leads.length > 0} onClose={rest.onClose} title={title}>
      {leads.length === 0 ? null : <TagLeadsForm {...rest} leads={leads} />}
    </Dialog>
  )
}

type TagLeadsFormProps = TagLeadsDialogProps & { leads: readonly LeadRow[] }

function TagLeadsForm({ userId, leads, tags, onSaved, onClose }: TagLeadsFormProps) {
  const present = [...new Set(leads.flatMap((lead) => lead.tags))]
  const known = tags.map((name) => ({ name }))
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set())
  const [added, setAdded] = useState<{ tags: readonly string[]; text: string }>({
    tags: [],
    text: '',
  })
  const save = useTagLeads(userId)
  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        const ids = leads.map(({ id }) => id)
        const add = joinedTags(added.tags, added.text)
        save.mutate({ ids, add, remove: [...removed] }, { onSuccess: onSaved })
      }}
    >
      <TagInput
        known={known}
        label="Add tags"
        name="tags"
        tags={added.tags}
        text={added.text}
        onChange={(chosen, text) => setAdded({ tags: chosen, text })}
        error={undefined}
      />
      <RemovedTags {...{ known, present, removed }} onChange={setRemoved} />
      <FormActions
        action="Save tags"
        busyAction="Saving..."
        busy={save.isPending}
        onCancel={onClose}
      />
    </form>
  )
}
