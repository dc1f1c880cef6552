import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useRights } from '#web/session/space/rights.ts'
import { tables } from '#web/api/client.ts'
import { refusalNotice } from '#web/api/refusal-notice.ts'
import { Button } from '#web/ui/button.tsx'
import { TextAreaField } from '#web/ui/fields/text-area-field.tsx'
import { ToggleButton } from '#web/ui/fields/toggle-button.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { CampaignFields, isCampaign, noCampaign, PlacementCampaign } from './placement-campaign.tsx'
import { type Placement, placementsQuery } from './qr-source.ts'

interface PlacementsPanelProps {
  userId: string
  linkId: string
  chosen: Placement | undefined
  onChoose: (placement: Placement | undefined) => void
}

const failed = { title: 'Error', description: 'The placements could not be saved.' }
/** Placements in sight before a press shows all. */
const shortList = 12

/** Prints of one link that are counted apart: choose one for the code, or add a list of them. */
export function PlacementsPanel(props: PlacementsPanelProps) {
  const { userId, linkId, chosen, onChoose } = props
  const { data: placements = [] } = useQuery(placementsQuery(userId, linkId))
  const [isAdding, setAdding] = useState(false)
  const [isLong, setLong] = useState(false)
  const mayWrite = useRights()('links:write')
  const remove = useRemove(props)
  const shown = isLong ? placements : placements.slice(0, shortList)
  return (
    <section
      aria-labelledby="placements"
      className="grid gap-3 rounded-2xl border border-line bg-surface p-4 sm:p-5"
    >
      <h2 id="placements" className="text-sm font-medium">
        Placements <span className="font-normal text-ink-soft">count one link's prints apart</span>
      </h2>
      <fieldset aria-labelledby="placements" className="flex flex-wrap gap-2">
        <ToggleButton isOn={chosen === undefined} onPress={() => onChoose(undefined)}>
          No placement
        </ToggleButton>
        {shown.map((each) => (
          <ToggleButton key={each.id} isOn={each.id === chosen?.id} onPress={() => onChoose(each)}>
            {each.name}
          </ToggleButton>
        ))}
        {placements.length > shown.length ? (
          <ToggleButton isOn={false} onPress={() => setLong(true)}>
            +{placements.length - shown.length}
          </ToggleButton>
        ) : null}
      </fieldset>
      {chosen === undefined ? null : (
        <p className="flex flex-wrap items-center gap-2 text-sm text-ink-soft">
          <span className="min-w-0 wrap-anywhere">
            {chosen.name} has the mark{' '}
            <code className="font-mono">{chosen.mark.toUpperCase()}</code>
          </span>
          {mayWrite ? (
            <Button size="small" busy={remove.busy} onClick={() => remove.run(chosen)}>
              <Trash2 size={16} aria-hidden />
              Delete placement
            </Button>
          ) : null}
        </p>
      )}
      {chosen === undefined || !mayWrite ? null : (
        <PlacementCampaign key={chosen.id} {...{ userId, linkId }} placement={chosen} />
      )}
      {isAdding ? (
        <AddList {...props} onClose={() => setAdding(false)} />
      ) : !mayWrite ? null : (
        <Button size="small" className="w-fit" onClick={() => setAdding(true)}>
          <Plus size={16} aria-hidden />
          Add a list
        </Button>
      )}
    </section>
  )
}

interface AddListProps extends PlacementsPanelProps {
  onClose: () => void
}

function AddList({ userId, linkId, onClose }: AddListProps) {
  const client = useQueryClient()
  const [list, setList] = useState('')
  const [utm, setUtm] = useState(noCampaign)
  const names = list
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const add = useAction(async () => {
    try {
      const campaign = isCampaign(utm) ? { _utm: { ...utm } } : {}
      await tables
        .rpc('create_placements', { _link: linkId, _names: names, ...campaign })
        .throwOnError()
      await client.invalidateQueries(placementsQuery(userId, linkId))
      notifySuccess({
        title: names.length === 1 ? 'Placement added' : `${names.length} placements added`,
      })
      onClose()
    } catch (error) {
      notifyError((error instanceof Error ? refusalNotice(error) : undefined) ?? failed)
    }
  })
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        add.run()
      }}
    >
      <TextAreaField
        label="One per line"
        rows={4}
        value={list}
        onChange={({ target }) => setList(target.value)}
      />
      <CampaignFields utm={utm} onChange={setUtm} />
      <div className="flex gap-2">
        <Button
          type="submit"
          look="accent"
          size="small"
          busy={add.busy}
          disabled={names.length === 0}
        >
          {names.length > 1 ? `Add ${names.length} placements` : 'Add placement'}
        </Button>
        <Button size="small" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

function useRemove({ userId, linkId, onChoose }: PlacementsPanelProps) {
  const client = useQueryClient()
  return useAction(async ({ id }: Placement) => {
    try {
      await tables.from('placements').delete().eq('id', id).throwOnError()
      onChoose(undefined)
      await client.invalidateQueries(placementsQuery(userId, linkId))
      notifySuccess({ title: 'Placement deleted' })
    } catch (error) {
      notifyError((error instanceof Error ? refusalNotice(error) : undefined) ?? failed)
    }
  })
}
