import { useQueryClient } from '@tanstack/react-query'
import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import * as z from 'zod/mini'
import { visitorPasswordMaxBytes } from '#domain/links/link-limits.ts'
import { sharedReportTexts } from '#domain/texts/link-texts.ts'
import { notices } from '#domain/texts/texts.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { sharedReportUrl } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { DialogActions } from '#web/ui/dialogs/dialog.tsx'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { Switch } from '#web/ui/fields/switch.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { useCopy } from '#web/ui/hooks/use-copy.ts'
import { zoneHint } from '#web/ui/local-time.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { reportWordFields, ReportWordsFields, wordOf } from './report-words-fields.tsx'
import {
  changeSharedReport,
  deleteSharedReport,
  type ReportSubject,
  type SharedReportRow,
  sharedReportQuery,
  sharedReportRefusal,
} from './shared-report-queries.ts'

interface SharedReportFormProps {
  subject: ReportSubject
  report: SharedReportRow
  onClose: () => void
}

const reportForm = z.object({
  ...reportWordFields,
  enabled: z.boolean(),
  expires: z.string(),
  password: z
    .string()
    .check(
      z.refine(
        (text) => new TextEncoder().encode(text).length <= visitorPasswordMaxBytes,
        sharedReportTexts.passwordTooLong,
      ),
    ),
})

/** The form of a report that has an address: its words, its readers and its end. */
export function SharedReportForm({ subject, report, onClose }: SharedReportFormProps) {
  const [hasPassword, setHasPassword] = useState(report.has_password)
  const form = useReportForm({ subject, report, onClose }, hasPassword)
  return (
    <form {...form.props} className="grid gap-5">
      <ReportAddress url={sharedReportUrl(report.token)} />
      <div>
        <Switch
          label="Shared"
          checked={form.values.enabled}
          onChange={form.field('enabled').onChange}
        />
        <output className="block text-sm text-ink-faint">
          {form.values.enabled ? null : sharedReportTexts.off}
        </output>
      </div>
      <ReportWordsFields subject={subject} text={form.text} />
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
        <DeleteReport subject={subject} />
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="accent" busy={form.busy}>
          {form.busy ? 'Saving...' : 'Save Changes'}
        </Button>
      </DialogActions>
    </form>
  )
}

function useReportForm({ subject, report, onClose }: SharedReportFormProps, hasPassword: boolean) {
  const client = useQueryClient()
  const [opened] = useState(report)
  const close = useWhileShown(onClose)
  return useFormFields({
    schema: reportForm,
    initial: {
      enabled: opened.enabled,
      title: opened.title ?? '',
      shownName: opened.shown_name ?? '',
      password: '',
      expires: localDay(opened.expires_at),
    },
    submit: async ({ enabled, title, shownName, password, expires }) => {
      const isPasswordRemoved = opened.has_password && !hasPassword
      // Newer values from elsewhere stay.
      const refusal = await changeSharedReport(subject, {
        ...(enabled !== opened.enabled && { enabled }),
        ...(wordOf(title) !== opened.title && { title: wordOf(title) }),
        ...(wordOf(shownName) !== opened.shown_name && { shown_name: wordOf(shownName) }),
        ...(expires !== localDay(opened.expires_at) && { expires_at: endOfDay(expires) }),
        ...(password !== '' ? { password } : isPasswordRemoved && { password: null }),
      }).then(() => undefined, sharedReportRefusal)
      if (refusal !== undefined) return { notice: refusal }
      await client.invalidateQueries({ queryKey: sharedReportQuery(subject).queryKey })
      notifySuccess(sharedReportTexts.saved)
      return close()
    },
  })
}

/** Afterwards the dialog shows the stored report. */
function DeleteReport({ subject }: Pick<SharedReportFormProps, 'subject'>) {
  const client = useQueryClient()
  const { busy, run } = useAction(async () => {
    try {
      await deleteSharedReport(subject)
    } catch {
      notifyError(sharedReportTexts.failed)
    }
    await client.invalidateQueries({ queryKey: sharedReportQuery(subject).queryKey })
  })
  return (
    <Button
      look="danger"
      busy={busy}
      onClick={run}
      className="mr-auto"
      title={sharedReportTexts.deleteHint}
    >
      Delete
    </Button>
  )
}

function ReportAddress({ url }: { url: string }) {
  const { copied, copy } = useCopy()
  const button = useRef<HTMLButtonElement>(null)
  // The next step, whether the report was there or was made right now.
  useEffect(() => button.current?.focus(), [])
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 grow">
        <Field label="Address" value={url} readOnly className="font-mono pointer-fine:text-sm!" />
      </div>
      <Button
        ref={button}
        onClick={() =>
          void copy(url).then((done) =>
            done ? notifySuccess(notices.copied) : notifyError(notices.copyFailed),
          )
        }
      >
        {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        {copied ? 'Copied' : 'Copy link'}
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
