import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import { routes } from '#domain/routes.ts'
import { tables } from '#web/api/client.ts'
import { clicksOffer } from '#web/clicks/clicks-offer.ts'
import { readTimeZone, setTimeZone } from '#web/clicks/report.ts'
import { usePlan } from '#web/plan/plan.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { Switch } from '#web/ui/fields/switch.tsx'
import { settingsCards } from './settings-parts.ts'
import { SettingsSection } from './settings-section.tsx'

interface ClickMails {
  milestones: boolean
  weekly: boolean
  /** Null where the server checks no destinations. */
  health: boolean | null
}

export function clickSettingsQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'click-settings'],
    queryFn: async ({ signal }) => {
      const [zone, mails] = await Promise.all([
        readTimeZone(userId, signal),
        tables.rpc('click_mails').abortSignal(signal).throwOnError(),
      ])
      return { zone, mails: mails.data as unknown as ClickMails }
    },
  })
}

/** In which time zone reports are, and which emails about clicks one gets. */
export function ClickSettings({ userId }: { userId: string }) {
  const query = useQuery(clickSettingsQuery(userId))
  const plan = usePlan(userId)
  return (
    <SettingsSection title={settingsCards.profile.clicks} intro="Time zone and email reports.">
      <QueryPanel query={query} failed={settingsNotices.profileFailed}>
        {({ zone, mails }) => (
          <div className="grid gap-5">
            <TimeZoneField userId={userId} zone={zone ?? 'UTC'} />
            <MailSwitches
              userId={userId}
              mails={mails}
              showsClicks={plan?.limits.canViewClicks !== false}
            />
          </div>
        )}
      </QueryPanel>
    </SettingsSection>
  )
}

/** Saves at once, and reads the stored setting again. A change meanwhile waits for its turn. */
function useSaving<Wanted>(userId: string, save: (wanted: Wanted) => PromiseLike<unknown>) {
  const client = useQueryClient()
  return useMutation({
    scope: { id: 'click-settings' },
    mutationFn: async (wanted: Wanted) => save(wanted),
    onSuccess: async () => {
      notifySuccess(settingsNotices.clicksSaved)
      await client.invalidateQueries({ queryKey: ['account', userId] })
    },
    onError: (error) =>
      notifyError({ ...settingsNotices.clicksFailed, description: error.message }),
  })
}

function TimeZoneField({ userId, zone }: { userId: string; zone: string }) {
  const saving = useSaving(userId, setTimeZone)
  const zones = [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', zone])].toSorted()
  return (
    <SelectField
      label="Report time zone"
      name="timeZone"
      options={zones.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
      value={(saving.isPending ? saving.variables : undefined) ?? zone}
      onChange={(wanted) => saving.mutate(wanted)}
    />
  )
}

interface MailSwitchesProps {
  userId: string
  mails: ClickMails
  showsClicks: boolean
}

function MailSwitches({ userId, mails, showsClicks }: MailSwitchesProps) {
  const saving = useSaving(userId, ({ milestones, weekly, health }: Partial<ClickMails>) =>
    tables
      .rpc('set_click_mails', {
        ...(milestones !== undefined && { _milestones: milestones }),
        ...(weekly !== undefined && { _weekly: weekly }),
        ...(typeof health === 'boolean' && { _health: health }),
      })
      .throwOnError(),
  )
  const changed = saving.isPending ? saving.variables : undefined
  const shown = { ...mails, ...changed }
  return (
    <div className="grid gap-1">
      {showsClicks ? (
        <>
          <Switch
            label="Click milestones by email"
            checked={shown.milestones}
            onChange={(milestones) => saving.mutate({ ...changed, milestones })}
          />
          <Switch
            label="Weekly summary on Mondays"
            checked={shown.weekly}
            onChange={(weekly) => saving.mutate({ ...changed, weekly })}
          />
        </>
      ) : (
        <p className="text-sm text-ink-soft">
          <Link to={routes.upgrade.path} className="underline underline-offset-4">
            {clicksOffer}
          </Link>{' '}
          and to get emails about them.
        </p>
      )}
      {shown.health === null ? null : (
        <Switch
          label="Weekly broken destinations"
          checked={shown.health}
          onChange={(health) => saving.mutate({ ...changed, health })}
        />
      )}
    </div>
  )
}
