import { useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { domainHostSentences, readDomainHost } from '#domain/domains/domain-host.ts'
import { domainNotices, domainTexts } from '#domain/texts/domain-texts.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import type { FormRefusal } from '#web/forms/use-form.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { domainCalls, domainRefusal, domainsKey } from './domains-query.ts'

interface AddDomainDialogProps {
  userId: string
  open: boolean
  onClose: () => void
}

/** Adds a host to the account; its records are shown afterwards. */
export function AddDomainDialog({ userId, open, onClose }: AddDomainDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Add a domain">
      {open ? <AddForm userId={userId} onClose={onClose} /> : null}
    </Dialog>
  )
}

const addForm = z.object({
  host: z.string().check(
    z.superRefine((typed, context) => {
      const check = readDomainHost(typed)
      if (!check.ok)
        context.issues.push({
          code: 'custom',
          input: typed,
          message: domainHostSentences[check.reason],
        })
    }),
  ),
})

function AddForm({ userId, onClose }: Pick<AddDomainDialogProps, 'userId' | 'onClose'>) {
  const client = useQueryClient()
  const close = useWhileShown(onClose)
  const form = useFormFields({
    schema: addForm,
    initial: { host: '' },
    issueNotice: null,
    submit: async ({ host }): Promise<FormRefusal | void> => {
      let added: { id: number }[]
      try {
        added = await domainCalls.add(host)
      } catch (error) {
        if (!isRefusal(error)) throw error
        const text = domainRefusal(error)
        return { field: 'host', text, notice: { ...domainNotices.notAdded, description: text } }
      }
      close()
      notifySuccess(domainNotices.added)
      const reload = () => client.invalidateQueries({ queryKey: domainsKey(userId) })
      await reload()
      // Its records may be there already; else the server checks later, as it does without this one.
      for (const { id } of added) void domainCalls.check(id).then(reload, () => {})
    },
  })
  return (
    <form {...form.props} className="grid gap-5">
      <Field
        label="Domain"
        kind="verbatim"
        inputMode="url"
        data-first-focus
        placeholder="go.example.com"
        hint={domainTexts.hostHint}
        className="font-mono"
        {...form.text('host')}
      />
      <FormActions action="Add Domain" busyAction="Adding..." busy={form.busy} onCancel={onClose} />
    </form>
  )
}

/** Whether the server answered with a sentence for people. */
function isRefusal(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown }
  return code === '23514' || code === '23505' || code === 'P0001'
}
