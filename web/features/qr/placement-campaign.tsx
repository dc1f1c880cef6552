import { useQueryClient } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { utmFields } from '#domain/reports/hits.ts'
import { tables } from '#web/api/client.ts'
import { refusalNotice } from '#web/api/refusal-notice.ts'
import { UtmFields } from '#web/forms/utm-fields.tsx'
import { Button } from '#web/ui/button.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { type Campaign, type Placement, placementsQuery } from './qr-source.ts'

const failed = { title: 'Error', description: 'The campaign could not be saved.' }

export const noCampaign: Campaign = {
  utm_source: '',
  utm_medium: '',
  utm_campaign: '',
  utm_term: '',
  utm_content: '',
}

/** Whether any part of a campaign is given. */
export function isCampaign(utm: Campaign): boolean {
  return utmFields.some((name) => utm[name].trim() !== '')
}

interface CampaignFieldsProps {
  utm: Campaign
  onChange: (utm: Campaign) => void
  children?: ReactNode
}

/** The campaign of scans, folded while nobody wants one. */
export function CampaignFields({ utm, onChange, children }: CampaignFieldsProps) {
  const [wasCampaign] = useState(() => isCampaign(utm))
  return (
    <details open={wasCampaign} className="group">
      <summary className="flex min-h-9 w-fit cursor-pointer list-none items-center gap-1.5 text-sm text-ink-soft hover:text-ink pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
        Own campaign
        <ChevronDown size={16} aria-hidden className="group-open:rotate-180" />
      </summary>
      <div className="grid gap-4 pt-2">
        <UtmFields
          utm={utm}
          maxLength={100}
          onChange={(change) => onChange({ ...utm, ...change })}
        />
        <p className="text-sm text-ink-faint">Replaces the campaign of the destination.</p>
        {children}
      </div>
    </details>
  )
}

interface PlacementCampaignProps {
  userId: string
  linkId: string
  placement: Placement
}

/** The campaign of one placement, to change it. */
export function PlacementCampaign({ userId, linkId, placement }: PlacementCampaignProps) {
  const client = useQueryClient()
  const [utm, setUtm] = useState<Campaign>(placement.utm)
  const save = useAction(async () => {
    try {
      await tables.from('placements').update(utm).eq('id', placement.id).throwOnError()
      await client.invalidateQueries(placementsQuery(userId, linkId))
      notifySuccess({ title: isCampaign(utm) ? 'Campaign saved' : 'Campaign removed' })
    } catch (error) {
      notifyError((error instanceof Error ? refusalNotice(error) : undefined) ?? failed)
    }
  })
  const isChanged = utmFields.some((name) => utm[name] !== placement.utm[name])
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.run()
      }}
    >
      <CampaignFields utm={utm} onChange={setUtm}>
        <Button type="submit" size="small" className="w-fit" busy={save.busy} disabled={!isChanged}>
          Save campaign
        </Button>
      </CampaignFields>
    </form>
  )
}
