import { useQuery, useQueryClient, queryOptions } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { tables, answerOf } from '#web/api/client.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { refusalNotice } from '#web/api/refusal-notice.ts'
import { isSameUtm, noUtm, type Utm, utmNames } from './utm.ts'

interface UtmTemplatesProps {
  userId: string
  /** The campaign of the destination. */
  utm: Utm
  onApply: (utm: Utm) => void
}

/** Saved campaigns: the chosen one is the one that the destination has. */
export function UtmTemplates({ userId, utm, onApply }: UtmTemplatesProps) {
  const { data: templates = [] } = useQuery(utmTemplatesQuery(userId))
  const [isNaming, setNaming] = useState(false)
  const block = useRef<HTMLDivElement>(null)
  // The button that was pressed leaves.
  const focusFirst = () =>
    requestAnimationFrame(() => block.current?.querySelector<HTMLElement>('button')?.focus())
  const { save, remove } = useTemplateWrites(userId)
  const current = templates.find((template) => isSameUtm(template, utm))
  const hasCampaign = utmNames.some((name) => utm[name] !== '')
  return (
    <div ref={block} className="grid gap-3 empty:hidden">
      {templates.length === 0 ? null : (
        <fieldset>
          <legend className="mb-1.5 text-sm font-medium">Template</legend>
          <div className="flex flex-wrap gap-2">
            {templates.map((template) => (
              <Button
                key={template.id}
                size="small"
                look={template === current ? 'ink' : 'plain'}
                aria-pressed={template === current}
                className="max-w-full rounded-full!"
                onClick={() => onApply(template === current ? noUtm : campaignOf(template))}
              >
                <span className="truncate">{template.name}</span>
              </Button>
            ))}
          </div>
        </fieldset>
      )}
      {isNaming ? (
        <TemplateName
          onSave={async (name) => {
            const problem = await save(name, utm)
            if (problem === undefined) {
              setNaming(false)
              focusFirst()
            }
            return problem
          }}
          onCancel={() => {
            setNaming(false)
            focusFirst()
          }}
        />
      ) : current !== undefined ? (
        <Button
          size="small"
          className="justify-self-start"
          onClick={() => void remove(current).then(focusFirst)}
        >
          Delete template
        </Button>
      ) : hasCampaign ? (
        <Button size="small" className="justify-self-start" onClick={() => setNaming(true)}>
          Save as template
        </Button>
      ) : null}
    </div>
  )
}

interface TemplateNameProps {
  /** @returns the problem with the name, if any */
  onSave: (name: string) => Promise<string | undefined>
  onCancel: () => void
}

function TemplateName({ onSave, onCancel }: TemplateNameProps) {
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const saving = useAction(async () => setProblem(await onSave(name.trim())))
  return (
    <div className="grid gap-2">
      <Field
        label="Template name"
        name="templateName"
        autoComplete="off"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the press that opened the field asked for it
        autoFocus
        value={name}
        onChange={({ target }) => {
          setName(target.value)
          setProblem(undefined)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
          // The form around it is that of the link.
          event.preventDefault()
          event.stopPropagation()
          saving.run()
        }}
        error={problem}
      />
      <div className="flex gap-2">
        <Button size="small" busy={saving.busy} onClick={() => saving.run()}>
          {saving.busy ? 'Saving...' : 'Save template'}
        </Button>
        <Button size="small" look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  )
}

const saveFailed = { title: 'Error', description: 'Failed to save the template' }
const deleteFailed = { title: 'Error', description: 'Failed to delete the template' }

function useTemplateWrites(userId: string) {
  const client = useQueryClient()
  const reload = () => client.invalidateQueries(utmTemplatesQuery(userId))

  /** @returns the problem with the name, if any */
  async function save(name: string, utm: Utm): Promise<string | undefined> {
    const { error } = await tables.from('utm_templates').insert({ name, ...utm })
    await reload()
    if (error === null) {
      notifySuccess({ title: 'Template saved' })
      return undefined
    }
    if (error.code === '23505') return 'You have a template with this name'
    const refusal = refusalNotice(error)
    if (refusal === undefined) notifyError(saveFailed)
    return refusal?.title ?? saveFailed.description
  }

  async function remove(template: UtmTemplate): Promise<void> {
    const { error } = await tables.from('utm_templates').delete().eq('id', template.id)
    await reload()
    if (error !== null) return notifyError(deleteFailed)
    // The destination still has the campaign, which can be saved again.
    notifySuccess({ title: 'Template deleted', description: template.name })
  }

  return { save, remove }
}

function campaignOf({
  utm_source,
  utm_medium,
  utm_campaign,
  utm_term,
  utm_content,
}: UtmTemplate): Utm {
  return { utm_source, utm_medium, utm_campaign, utm_term, utm_content }
}

type UtmTemplate = Utm & { id: string; name: string }

/** The saved campaigns of an account, by name. */
function utmTemplatesQuery(userId: string) {
  return queryOptions({
    queryKey: ['utm-templates', userId],
    queryFn: ({ signal }): Promise<UtmTemplate[]> =>
      answerOf(
        tables
          .from('utm_templates')
          .select('id,name,utm_source,utm_medium,utm_campaign,utm_term,utm_content')
          .eq('user_id', userId)
          .order('name'),
        signal,
      ),
  })
}
