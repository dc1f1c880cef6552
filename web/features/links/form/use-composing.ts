import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useDomainChoice } from '#web/domains/domain-choices.ts'
import { type LinkSection, sectionOfField } from '../options/option-sections.ts'
import { type ComposeDraft, planLinks } from './compose-draft.ts'
import { useComposeForm } from './use-compose-form.ts'

interface ComposingOptions {
  userId: string
  draft: ComposeDraft
  onChange: (change: Partial<ComposeDraft>) => void
  /** `isLast` is false when the dialog stays open for another link. */
  onCreated: (link: { id: string }, isLast: boolean) => void
}

export type Composing = ReturnType<typeof useComposing>

const noRefusals: ReadonlyMap<number, string> = new Map()

/** The state of the form of new links. It outlives the open dialog, so that a request is sent once. */
export function useComposing({ userId, draft, onChange, onCreated }: ComposingOptions) {
  const [section, setSection] = useState<LinkSection | undefined>('link')
  const [refusals, setRefusals] = useState(noRefusals)
  const isLast = useRef(true)
  const destination = useRef<HTMLTextAreaElement>(null)
  const links = planLinks(draft.url, draft.utm)
  const place = useDomainChoice(userId, draft.domain)
  const form = useComposeForm({
    userId,
    draft,
    place,
    links,
    reveal: (field) => {
      const wanted = sectionOfField(field)
      if (wanted !== undefined) flushSync(() => setSection(wanted))
    },
    onRefusals: setRefusals,
    onRuleProblems(problems) {
      if (draft.rules === undefined) return
      setSection('rules')
      onChange({ rules: { ...draft.rules, problems } })
    },
    onCreated(link) {
      onCreated(link, isLast.current)
      if (isLast.current) setSection('link')
      else destination.current?.focus()
    },
  })
  return {
    form,
    links,
    /** The host of the links. */
    place,
    section,
    setSection,
    refusals,
    forgetRefusals: () => setRefusals(noRefusals),
    destination,
    submit(last: boolean) {
      isLast.current = last
      form.submit()
    },
  }
}
