import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import type { SimulatedVisit } from '#domain/visits/simulated-visit.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import type { LinkRow } from '#web/api/database.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { ruleNotices } from '#domain/texts/link-texts.ts'
import { linkRulesQuery } from './rules-query.ts'
import { expectationsQuery, keepExpectation, simulationQuery } from './simulation-query.ts'
import { SimulationResult } from './simulation-result.tsx'
import { unknownVisit, visitOf, visitPresets } from './visit-draft.ts'
import { VisitFields } from './visit-fields.tsx'

interface VisitSheetProps {
  link: LinkRow
  userId: string
  open: boolean
  onClose: () => void
}

/** Shows where a visit of a certain kind would lead, and keeps it as a test. */
export function VisitSheet({ link, userId, open, onClose }: VisitSheetProps) {
  const [draft, setDraft] = useState(unknownVisit)
  const [visit, setVisit] = useState<SimulatedVisit>()
  return (
    <Dialog open={open} onClose={onClose} title="Test a visit" shape="wide">
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          setVisit(visitOf(draft))
        }}
      >
        <p className="text-sm text-ink-soft">See where a visitor would go. It isn’t counted.</p>
        <div className="flex flex-wrap gap-2">
          {visitPresets.map(({ name, software }) => (
            <Button
              key={name}
              size="small"
              onClick={() => {
                const chosen = { ...draft, ...software }
                setDraft(chosen)
                setVisit(visitOf(chosen))
              }}
            >
              {name}
            </Button>
          ))}
        </div>
        <details>
          <summary className="min-h-9 cursor-pointer content-center text-sm font-medium pointer-coarse:min-h-11">
            More conditions
          </summary>
          <div className="mt-3 grid gap-4">
            <VisitFields
              draft={draft}
              hasPassword={link.has_password}
              onChange={(change) => setDraft((now) => ({ ...now, ...change }))}
            />
            <Button type="submit" size="small" className="justify-self-start">
              Show result
            </Button>
          </div>
        </details>
      </form>
      {visit === undefined ? null : <Result {...{ link, userId, visit }} />}
    </Dialog>
  )
}

interface ResultProps extends Pick<VisitSheetProps, 'link' | 'userId'> {
  visit: SimulatedVisit
}

function Result({ link, userId, visit }: ResultProps) {
  const { data: simulation, isError, refetch } = useQuery(simulationQuery(link, visit))
  const { data: known } = useQuery(linkRulesQuery(link.id))
  if (isError)
    return (
      <FailedLine retry={() => void refetch()} className="mt-4 flex-wrap justify-between gap-3">
        The visit could not be simulated.
      </FailedLine>
    )
  return (
    <div className="mt-4 grid gap-4 border-t border-line pt-4 empty:hidden">
      <output className="block">
        {simulation === undefined || known === undefined ? (
          <span className="sr-only">Simulating</span>
        ) : (
          <SimulationResult {...{ simulation, userId }} rules={known.rules} />
        )}
      </output>
      {simulation?.address == null ? null : (
        <Allowed right="links:write">
          <KeepForm linkId={link.id} visit={visit} address={simulation.address} />
        </Allowed>
      )}
    </div>
  )
}

const keepForm = z.object({
  name: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'A test needs a name.'),
      z.maxLength(100, 'A name has at most 100 characters.'),
    ),
})

interface KeepFormProps {
  linkId: string
  visit: SimulatedVisit
  address: string
}

/** Saves the visit with the address that it reaches now. */
function KeepForm({ linkId, visit, address }: KeepFormProps) {
  const client = useQueryClient()
  const form = useFormFields({
    schema: keepForm,
    initial: { name: '' },
    issueNotice: null,
    async submit(entered) {
      const refusal = await keepExpectation(linkId, {
        name: entered.name,
        visit,
        expected_url: address,
      })
      if (refusal !== undefined) return { field: 'name', text: refusal }
      form.change({ name: '' })
      notifySuccess(ruleNotices.expectationSaved)
      await client.invalidateQueries({ queryKey: expectationsQuery(linkId).queryKey })
      return undefined
    },
  })
  return (
    <form {...form.props} className="flex flex-wrap items-start gap-2.5">
      <div className="min-w-0 grow basis-56">
        <Field
          label="Test name"
          autoComplete="off"
          placeholder="The poster reaches the menu"
          hint="A change that breaks a saved test is refused."
          {...form.text('name')}
        />
      </div>
      <Button type="submit" busy={form.busy} className="mt-6.5">
        Save as test
      </Button>
    </form>
  )
}
