import { useState } from 'react'
import { blockForm } from '#domain/forms/forms.ts'
import type { BlockKind } from '#web/api/database-admin.ts'
import { CheckboxField } from '#web/ui/fields/checkbox-field.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { useBlock } from './block-mutations.ts'

/** Something that can be blocked, and how people call it. */
export interface BlockTarget {
  kind: BlockKind
  value: string
  name: string
}

interface BlockDialogProps {
  /** The choices, the smallest first; the dialog is open while there are any. */
  targets: readonly BlockTarget[] | undefined
  onClose: () => void
}

const effects: Record<BlockKind, string> = {
  link: 'This link only',
  host: 'Every link that leads to this host or below it, and new ones are refused',
  user: 'This user is signed out, cannot sign in, and is charged no more: a subscription is canceled for good',
}

const maxReasonLength = 500

export function BlockDialog({ targets, onClose }: BlockDialogProps) {
  return (
    <Dialog open={targets !== undefined} onClose={onClose} title="Block">
      {targets === undefined ? null : <BlockForm targets={targets} onClose={onClose} />}
    </Dialog>
  )
}

function BlockForm({ targets, onClose }: { targets: readonly BlockTarget[]; onClose: () => void }) {
  const block = useBlock()
  const [chosen, setChosen] = useState(targets[0])
  const [hidesPublished, setHidesPublished] = useState(true)

  const form = useFormFields({
    schema: blockForm,
    initial: { reason: '' },
    submit: async (checked) => {
      if (chosen === undefined) return
      const { kind, value } = chosen
      block.mutate({ kind, value, hidesPublished, ...checked }, { onSuccess: onClose })
    },
  })

  return (
    <form {...form.props} className="grid gap-5">
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium">What to block</legend>
        {targets.map((target) => (
          <label
            key={target.kind}
            className="grid cursor-pointer grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-3 rounded-2xl border border-line p-3.5 has-checked:border-edge has-checked:bg-sunken"
          >
            <input
              type="radio"
              name="kind"
              checked={chosen === target}
              onChange={() => setChosen(target)}
              className="size-4 accent-ink"
            />
            <span className="min-w-0 font-mono text-sm wrap-anywhere">{target.name}</span>
            <span className="col-start-2 text-sm text-ink-soft">{effects[target.kind]}</span>
          </label>
        ))}
      </fieldset>
      {chosen?.kind === 'user' ? (
        <CheckboxField
          label="Switch off publications"
          name="hidesPublished"
          hint="Links, pages, shared reports, forms: until unblocked."
          checked={hidesPublished}
          onChange={setHidesPublished}
        />
      ) : null}
      <Field
        label="Reason"
        note="For admins only"
        autoComplete="off"
        maxLength={maxReasonLength}
        data-first-focus
        {...form.text('reason')}
      />
      <FormActions
        action="Block"
        busyAction="Blocking..."
        busy={block.isPending}
        look="danger"
        onCancel={onClose}
      />
    </form>
  )
}
