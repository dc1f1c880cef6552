import { useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { readDomainHost } from '#domain/domains/domain-host.ts'
import { domainNotices, domainTexts } from '#domain/texts/domain-texts.ts'
import type { AccountDomain } from '#web/api/database.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import type { FormRefusal } from '#web/forms/use-form.ts'
import { shownHost } from '#web/shown-link.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { domainCalls, domainRefusal, domainsKey } from './domains-query.ts'

interface RemoveDomainDialogProps {
  userId: string
  /** The dialog is open while there is one. */
  domain: AccountDomain | undefined
  onClose: () => void
}

/** Removes a domain; with live links its host is typed to be sure. */
export function RemoveDomainDialog({ userId, domain, onClose }: RemoveDomainDialogProps) {
  return (
    <Dialog
      open={domain !== undefined}
      onClose={onClose}
      title={domain === undefined ? '' : `Remove ${shownHost(domain.host)}?`}
      description={domain === undefined ? '' : lossOf(domain)}
    >
      {domain === undefined ? null : <RemoveForm {...{ userId, domain, onClose }} />}
    </Dialog>
  )
}

function lossOf({ link_count: count, is_verified: isVerified }: AccountDomain): string {
  if (count === 0) return 'No link uses this domain.'
  const links = count === 1 ? '1 link' : `${count.toLocaleString('en-US')} links`
  const loss = isVerified ? `${links} will stop working.` : `${links} will stay without it.`
  return `${loss} ${domainTexts.removal}`
}

function RemoveForm({
  userId,
  domain,
  onClose,
}: RemoveDomainDialogProps & { domain: AccountDomain }) {
  const client = useQueryClient()
  const close = useWhileShown(onClose)
  const host = shownHost(domain.host)
  const isAsked = domain.link_count > 0
  const isSame = (typed: string) => {
    const read = readDomainHost(typed)
    return !isAsked || (read.ok && read.host === domain.host)
  }
  const form = useFormFields({
    schema: z.object({
      confirmation: z.string().check(z.refine(isSame, `Type ${host} to confirm`)),
    }),
    initial: { confirmation: '' },
    issueNotice: null,
    submit: async (): Promise<FormRefusal | void> => {
      try {
        await domainCalls.remove(domain.id)
      } catch (error) {
        return { notice: { ...domainNotices.notRemoved, description: domainRefusal(error) } }
      }
      close()
      notifySuccess(domainNotices.removed)
      await client.invalidateQueries({ queryKey: domainsKey(userId) })
    },
  })
  return (
    <form {...form.props} className="grid gap-5">
      {isAsked ? (
        <Field
          label="Domain"
          kind="verbatim"
          data-first-focus
          className="font-mono"
          hint={<span className="wrap-anywhere">Type {host} to confirm.</span>}
          {...form.text('confirmation')}
        />
      ) : null}
      <FormActions
        action="Remove Domain"
        busyAction="Removing..."
        busy={form.busy}
        look="danger"
        onCancel={onClose}
      />
    </form>
  )
}
