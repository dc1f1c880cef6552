import { useQuery, useQueryClient, queryOptions } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import * as z from 'zod/mini'
import { visitorPasswordMaxBytes } from '#domain/links/link-limits.ts'
import { routes } from '#domain/routes.ts'
import { sharedReportTexts } from '#domain/texts/link-texts.ts'
import { notices } from '#domain/texts/texts.ts'
import { clicksOffer } from '#web/clicks/clicks-offer.ts'
import type { LinkRow } from '#web/api/database.ts'
import { usePlan } from '#web/plan/plan.ts'
import { sharedReportUrl } from '#web/site.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialogs/dialog.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { Switch } from '#web/ui/fields/switch.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { zoneHint } from '#web/ui/local-time.ts'
import { useCopy } from '#web/ui/hooks/use-copy.ts'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import type { ApiUpdates } from '#domain/database.generated.ts'
import { oneRowOf, tables } from '#web/api/client.ts'

interface ShareReportDialogProps {
  link: LinkRow
  userId: string
  open: boolean
  onClose: () => void
}

/** Shares the report of a link with people without an account. */
export function ShareReportDialog({ link, userId, open, onClose }: ShareReportDialogProps) {
  const plan = usePlan(userId)
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Share report"
      description={sharedReportTexts.intro}
    >
      {!open || plan === undefined ? null : plan.limits.canViewClicks ? (
        <ShareReport linkId={link.id} onClose={onClose} />
      ) : (
        <Link to={routes.upgrade.path} className={buttonClass('accent')}>
          {clicksOffer}
        </Link>
      )}
    </Dialog>
  )
}

function ShareReport({ linkId, onClose }: { linkId: string; onClose: () => void }) {
  const query = useQuery(sharedReportQuery(linkId))
  const { busy, run: share } = useReportAction(linkId, () => createSharedReport(linkId))
  return (
    <QueryPanel query={query} loading="Loading the report" failed={sharedReportTexts.failed}>
      {(report) =>
        report === null ? (
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button look="accent" busy={busy} onClick={share}>
              Share report
            </Button>
          </DialogActions>
        ) : (
          <ReportForm key={report.id} {...{ linkId, report, onClose }} />
        )
      }
    </QueryPanel>
  )
}

/** One change at a time; afterwards the dialog shows the stored report. */
function useReportAction(linkId: string, act: () => PromiseLike<unknown>) {
  const client = useQueryClient()
  return useAction(async () => {
    try {
      await act()
    } catch {
      notifyError(sharedReportTexts.failed)
    }
    await client.invalidateQueries({ queryKey: sharedReportQuery(linkId).queryKey })
  })
}

interface ReportFormProps {
  linkId: string
  report: { token: string; enabled: boolean; has_password: boolean; expires_at: string | null }
  onClose: () => void
}

const reportForm = z.object({
  password: z
    .string()
    .check(
      z.refine(
        (text) => new TextEncoder().encode(text).length <= visitorPasswordMaxBytes,
        sharedReportTexts.passwordTooLong,
      ),
    ),
})

function ReportForm({ linkId, report, onClose }: ReportFormProps) {
  const client = useQueryClient()
  const [opened] = useState(report)
  const [hasPassword, setHasPassword] = useState(opened.has_password)
  const removal = useReportAction(linkId, () => deleteSharedReport(linkId))
  const close = useWhileShown(onClose)
  const form = useFormFields({
    schema: reportForm,
    initial: {
      enabled: opened.enabled,
      password: '',
      expires: localDay(opened.expires_at),
    },
    submit: async () => {
      const { enabled, password, expires } = form.values
      const isPasswordRemoved = opened.has_password && !hasPassword
      // Newer values from elsewhere stay.
      await changeSharedReport(linkId, {
        ...(enabled !== opened.enabled && { enabled }),
        ...(expires !== localDay(opened.expires_at) && { expires_at: endOfDay(expires) }),
        ...(password !== '' ? { password } : isPasswordRemoved && { password: null }),
      })
      await client.invalidateQueries({ queryKey: sharedReportQuery(linkId).queryKey })
      notifySuccess(sharedReportTexts.saved)
      close()
    },
  })
  return (
    <form {...form.props} className="grid gap-5">
      <ReportAddress url={sharedReportUrl(report.token)} />
      <Switch
        label="Shared"
        checked={form.values.enabled}
        onChange={form.field('enabled').onChange}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="new-password"
        {...form.text('password')}
        placeholder={hasPassword ? sharedReportTexts.passwordSet : ''}
        hint={hasPassword ? undefined : sharedReportTexts.noPassword}
      />
      {hasPassword ? (
        <Button
          size="small"
          className="-mt-2 justify-self-start"
          onClick={() => setHasPassword(false)}
        >
          Remove password
        </Button>
      ) : null}
      <Field
        label="Last day"
        type="date"
        {...form.text('expires')}
        hint={`${sharedReportTexts.noEnd} ${zoneHint()}`}
      />
      <DialogActions>
        <Button
          look="danger"
          busy={removal.busy}
          onClick={removal.run}
          className="mr-auto"
          title={sharedReportTexts.deleteHint}
        >
          Delete
        </Button>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="accent" busy={form.busy}>
          {form.busy ? 'Saving...' : 'Save Changes'}
        </Button>
      </DialogActions>
    </form>
  )
}

function ReportAddress({ url }: { url: string }) {
  const { copied, copy } = useCopy()
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 grow">
        <Field
          label="Address"
          value={url}
          readOnly
          className="font-mono pointer-fine:text-sm!"
          data-first-focus
        />
      </div>
      <Button
        onClick={() =>
          void copy(url).then((done) =>
            done ? notifySuccess(notices.copied) : notifyError(notices.copyFailed),
          )
        }
      >
        {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        {copied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  )
}

/** Day in the browser's time zone, as a date field writes it; '' without one. */
function localDay(instant: string | null): string {
  if (instant === null) return ''
  const at = new Date(instant)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/** The last moment of a day in the browser's time zone; null without one. */
function endOfDay(day: string): string | null {
  return day === '' ? null : new Date(`${day}T23:59:59.999`).toISOString()
}

const columns = 'id, token, enabled, has_password, expires_at'

/** The shared report of a link; null without one. */
function sharedReportQuery(linkId: string) {
  return queryOptions({
    queryKey: ['shared-report', linkId],
    queryFn: ({ signal }) =>
      oneRowOf(tables.from('shared_reports').select(columns).eq('link_id', linkId), signal),
  })
}

const createSharedReport = (linkId: string) =>
  tables.from('shared_reports').insert({ link_id: linkId }).throwOnError()

const changeSharedReport = (linkId: string, change: ApiUpdates['shared_reports']) =>
  tables.from('shared_reports').update(change).eq('link_id', linkId).throwOnError()

/** The address is void then: sharing the report again gives it another one. */
const deleteSharedReport = (linkId: string) =>
  tables.from('shared_reports').delete().eq('link_id', linkId).throwOnError()
