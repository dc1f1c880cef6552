import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { LinkRow, MovePreview } from '#web/api/database.ts'
import { tables } from '#web/api/client.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialogs/dialog.tsx'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { lossesOf } from './move-words.ts'
import { movePreviewQuery, type MoveTarget, useMoveTargets } from './moves-query.ts'

interface MoveLinksProps {
  userId: string
  /** The dialog is open while there are some. */
  links: readonly LinkRow[]
  onClose: () => void
  onMoved: (links: readonly LinkRow[]) => void
}

/** Moves links to another account of the person, after a preview of the losses. */
export function MoveLinksDialog(props: MoveLinksProps) {
  const { userId, links, onClose } = props
  const targets = useMoveTargets(userId)
  const [first] = targets
  return (
    <Dialog
      open={links.length > 0}
      onClose={onClose}
      title={links.length === 1 ? 'Move this link' : `Move ${links.length} links`}
    >
      {links.length === 0 || first === undefined ? null : (
        <MoveLinks {...props} targets={targets} first={first} />
      )}
    </Dialog>
  )
}

interface ChosenProps extends MoveLinksProps {
  targets: readonly MoveTarget[]
  first: MoveTarget
}

function MoveLinks({ userId, links, targets, first, onClose, onMoved }: ChosenProps) {
  const client = useQueryClient()
  const [chosen, setChosen] = useState(first.id)
  const close = useWhileShown(onClose)
  const target = targets.find(({ id }) => id === chosen) ?? first
  const ids = links.map(({ id }) => id)
  const preview = useQuery(movePreviewQuery(userId, ids, target.id))
  const move = useAction(async () => {
    const { data, error } = await tables.rpc('move_links', { _links: ids, _to_account: target.id })
    if (error) return notifyError({ title: 'Nothing was moved', description: error.message })
    notifySuccess({
      title: links.length === 1 ? 'Link moved' : `${links.length} links moved`,
      description:
        data.state === 'arriving'
          ? `${target.name} has them now. Their clicks are on their way.`
          : `${target.name} has them now.`,
    })
    onMoved(links)
    void client.invalidateQueries()
    return close()
  })
  const isRefused = preview.data === undefined || preview.data.refusals.length > 0
  return (
    <>
      <SelectField
        label="Move to"
        options={targets.map(({ id, name }) => ({ value: id, label: name }))}
        value={target.id}
        onChange={setChosen}
      />
      <div className="mt-4 min-h-24 text-sm" aria-live="polite">
        {preview.isError ? (
          <FailedLine retry={() => void preview.refetch()}>{preview.error.message}</FailedLine>
        ) : preview.data === undefined ? (
          <p className="text-ink-faint">Looking at the links...</p>
        ) : (
          <Preview preview={preview.data} />
        )}
      </div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="accent" busy={move.busy} disabled={isRefused} onClick={() => move.run()}>
          {move.busy ? 'Moving...' : 'Move'}
        </Button>
      </DialogActions>
    </>
  )
}

function Preview({ preview }: { preview: MovePreview }) {
  if (preview.refusals.length > 0)
    return (
      <ul className="grid gap-2 text-danger">
        {preview.refusals.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    )
  const losses = lossesOf(preview)
  return (
    <>
      <p>Codes, options, rules, history and clicks go along.</p>
      {losses.length === 0 ? null : (
        <ul className="mt-2 list-disc space-y-1 pl-5 wrap-anywhere">
          {losses.map((loss) => (
            <li key={loss}>{loss}</li>
          ))}
        </ul>
      )}
    </>
  )
}
