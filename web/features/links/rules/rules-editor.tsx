import { useState } from 'react'
import type { LinkRow } from '#web/api/database.ts'
import { Button } from '#web/ui/button.tsx'
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx'
import { ConflictDialog } from '#web/ui/dialogs/conflict-dialog.tsx'
import { LeaveDialog } from '#web/ui/dialogs/leave-dialog.tsx'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { BrokenExpectationDialog } from '../form/broken-expectation-dialog.tsx'
import { RulesFields } from './rules-fields.tsx'
import type { VersionedRules } from './rules-query.ts'
import { type RulesStart, useRulesEditor } from './use-rules-editor.ts'

interface RulesEditorProps {
  link: LinkRow
  loaded: VersionedRules
  start?: RulesStart | undefined
  /** Time zone of the person. */
  zone: string
  onClose: () => void
}

/** The form of the rules of a saved link. */
export function RulesEditor({ link, loaded, start, zone, onClose }: RulesEditorProps) {
  const { form, draft, change, problems, save, busy, conflict, broken, hasUnsaved } =
    useRulesEditor({ link, loaded, start, zone, onSaved: useWhileShown(onClose) })
  const [isLeaving, setLeaving] = useState<true>()
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
      className="mt-4 grid min-w-0 gap-4"
    >
      <RulesFields {...{ draft, change, problems, zone }} destination={link.original_url} />
      <div className="flex flex-wrap justify-end gap-2.5 border-t border-line pt-4">
        <Button onClick={() => (hasUnsaved() ? setLeaving(true) : onClose())}>Cancel</Button>
        <Button type="submit" look="accent" busy={busy} className="max-sm:grow">
          {busy ? 'Saving...' : 'Save rules'}
        </Button>
      </div>
      <LeaveDialog hasUnsaved={hasUnsaved} description={unsaved} />
      <ConfirmDialog
        subject={isLeaving}
        title="Discard the changes?"
        describe={() => unsaved}
        action="Discard"
        busyAction="Discard"
        busy={false}
        onClose={() => setLeaving(undefined)}
        onConfirm={onClose}
      />
      <ConflictDialog conflict={conflict} subject="The rules were" />
      <BrokenExpectationDialog broken={broken} />
    </form>
  )
}

const unsaved = 'The changes of your rules are not saved yet.'
