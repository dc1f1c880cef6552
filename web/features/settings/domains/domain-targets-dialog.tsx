import { useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { destinationNotice } from '#domain/links/destination-notice.ts'
import { readDestination } from '#domain/links/destinations.ts'
import { domainNotices, domainTexts } from '#domain/texts/domain-texts.ts'
import type { AccountDomain } from '#web/api/database.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import type { FormRefusal } from '#web/forms/use-form.ts'
import { shownHost } from '#web/shown-link.ts'
import { site } from '#web/site.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { domainCalls, domainRefusal, domainsKey } from './domains-query.ts'

interface DomainTargetsDialogProps {
  userId: string
  /** The dialog is open while there is one. */
  domain: AccountDomain | undefined
  onClose: () => void
}

/** Where the root and the missing codes of a domain lead. */
export function DomainTargetsDialog({ userId, domain, onClose }: DomainTargetsDialogProps) {
  return (
    <Dialog
      open={domain !== undefined}
      onClose={onClose}
      title="Edit addresses"
      description={domain === undefined ? '' : domainTexts.targets}
    >
      {domain === undefined ? null : <TargetsForm {...{ userId, domain, onClose }} />}
    </Dialog>
  )
}

const kinds = [
  { value: 'plain', label: 'Plain page' },
  { value: 'bio', label: 'Bio page' },
  { value: 'url', label: 'Address' },
] as const
type Kind = (typeof kinds)[number]['value']

function kindOf(target: string | null): Kind {
  if (target === null) return 'plain'
  return target === 'bio' ? 'bio' : 'url'
}

const urlOf = (target: string | null) => (kindOf(target) === 'url' ? (target ?? '') : '')

/** The stored form of a choice, or the sentence that refuses it. */
function targetOf(kind: Kind, typed: string): { target: string | null } | { problem: string } {
  if (kind !== 'url') return { target: kind === 'bio' ? 'bio' : null }
  const read = readDestination(typed, { ownHosts: site.ownHosts })
  if (read.ok) return { target: read.url }
  const { title, description = title } = destinationNotice(read.reason)
  return { problem: description }
}

const targetsForm = z.object({
  rootKind: z.enum(['plain', 'bio', 'url']),
  root_url: z.string(),
  missingKind: z.enum(['plain', 'bio', 'url']),
  missing_url: z.string(),
})

function TargetsForm({
  userId,
  domain,
  onClose,
}: DomainTargetsDialogProps & { domain: AccountDomain }) {
  const client = useQueryClient()
  const close = useWhileShown(onClose)
  const form = useFormFields({
    schema: targetsForm,
    initial: {
      rootKind: kindOf(domain.root_url),
      root_url: urlOf(domain.root_url),
      missingKind: kindOf(domain.missing_url),
      missing_url: urlOf(domain.missing_url),
    },
    issueNotice: null,
    submit: async (values): Promise<FormRefusal | void> => {
      const root = targetOf(values.rootKind, values.root_url)
      if ('problem' in root) return { field: 'root_url', text: root.problem }
      const missing = targetOf(values.missingKind, values.missing_url)
      if ('problem' in missing) return { field: 'missing_url', text: missing.problem }
      try {
        await domainCalls.setTargets(domain.id, {
          root_url: root.target,
          missing_url: missing.target,
        })
      } catch (error) {
        const notice = { ...domainNotices.notSaved, description: domainRefusal(error) }
        return { notice }
      }
      close()
      notifySuccess(domainNotices.saved)
      await client.invalidateQueries({ queryKey: domainsKey(userId) })
    },
  })
  const { rootKind, missingKind } = form.values
  return (
    <form {...form.props} className="grid gap-5">
      <p className="font-mono text-sm wrap-anywhere text-ink-soft">{shownHost(domain.host)}</p>
      <SelectField label="Root" options={kinds} {...form.field('rootKind')} />
      {rootKind === 'url' ? (
        <Field
          label="Root address"
          kind="url"
          placeholder="https://example.com"
          {...form.text('root_url')}
        />
      ) : null}
      <SelectField label="Missing codes" options={kinds} {...form.field('missingKind')} />
      {missingKind === 'url' ? (
        <Field
          label="Missing address"
          kind="url"
          placeholder="https://example.com/lost"
          {...form.text('missing_url')}
        />
      ) : null}
      <FormActions action="Save" busyAction="Saving..." busy={form.busy} onCancel={onClose} />
    </form>
  )
}
