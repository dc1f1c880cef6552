import { linkForm } from '#domain/forms/forms.ts'
import { ruleNotices } from '#domain/texts/link-texts.ts'
import { ruleProblemSentence, type RuleProblem } from '#domain/visits/rules-reader.ts'
import type { DomainChoice } from '#web/domains/domain-choices.ts'
import { type FormRefusal, refusalAt, useForm } from '#web/forms/use-form.ts'
import { site } from '#web/site.ts'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { decideShorten } from '../home/shorten-decision.ts'
import { checkOptions } from '../options/check-options.ts'
import { saveRules } from '../rules/rules-query.ts'
import { type ComposeDraft, maxLines, type PlannedLink } from './compose-draft.ts'
import { titleOf } from './compose-section.tsx'
import { loadRefusedField } from './load-refused-field.ts'
import { useCreateLink } from './use-create-link.ts'
import { useCreateLinks } from './use-create-links.ts'

interface ComposeFormOptions {
  userId: string
  draft: ComposeDraft
  place: DomainChoice
  links: readonly PlannedLink[]
  /** Opens the part of the form that has a field. */
  reveal: (field: string) => void
  /** Refusals of several links, by the number of their line. */
  onRefusals: (refusals: ReadonlyMap<number, string>) => void
  onRuleProblems: (problems: readonly RuleProblem[]) => void
  onCreated: (link: { id: string }) => void
}

const rulesFailed = {
  title: 'The link has no rules yet',
  description: 'The link was made, but its rules could not be saved. Add them on its page.',
}

/** Checks the form of new links and makes them. Nothing that was typed is lost by a refusal. */
export function useComposeForm(options: ComposeFormOptions) {
  const { userId, draft, place, links, reveal, onRefusals, onRuleProblems, onCreated } = options
  const createOne = useCreateLink(userId)
  const createSeveral = useCreateLinks(userId)

  async function makeOne(url: string, code: string): Promise<FormRefusal | undefined> {
    const decision = decideShorten({
      url,
      code,
      domain: place.domain,
      signedIn: true,
      ownHosts: site.ownHosts,
    })
    if (decision.kind === 'refuse') return refusalAt(decision.field, decision.notice)
    if (decision.kind !== 'create') return undefined
    const checked = draft.options && checkOptions(draft.options, undefined, site.ownHosts)
    if (checked?.ok === false) return checked
    const rules = draft.rules?.read(draft.rules.draft, decision.url)
    if (rules?.ok === false) {
      onRuleProblems(rules.problems)
      const [first] = rules.problems
      return {
        notice: {
          ...ruleNotices.saveFailed,
          ...(first && { description: ruleProblemSentence(first) }),
        },
      }
    }
    const result = await createOne({
      url: decision.url,
      customCode: decision.customCode,
      domain: place.sent,
      popupId: draft.popupId,
      options: checked?.columns,
      bioTitle: draft.isOnBio ? draft.bioTitle.trim() || titleOf(decision.url) : null,
    })
    if (!result.ok) {
      const atField = result.error && (await loadRefusedField(result.error))
      return atField ?? refusalAt(result.field, result.notice)
    }
    if (rules !== undefined && rules.rules.length > 0) {
      const linkId = result.link.id
      const wanted = { linkId, rules: rules.rules, version: 0, ignoresExpectations: false }
      const saved = await saveRules(wanted).catch(() => undefined)
      if (saved?.ok !== true) notifyError(rulesFailed)
    }
    onCreated(result.link)
    return undefined
  }

  async function makeSeveral(): Promise<FormRefusal | undefined> {
    const wrong = links.find(({ problem }) => problem !== undefined)
    if (wrong !== undefined)
      return { field: 'url', text: `Line ${wrong.line}: ${wrong.problem ?? ''}` }
    const wanted = links.filter(({ sameAs }) => sameAs === undefined)
    if (wanted.length > maxLines)
      return {
        field: 'url',
        text: `At most ${maxLines} links at once. These are ${wanted.length}.`,
      }
    const options = draft.options && { ...draft.options, title: '' }
    const checked = options && checkOptions(options, undefined, site.ownHosts)
    if (checked?.ok === false) return checked
    const result = await createSeveral({
      urls: wanted.flatMap(({ url }) => url ?? []),
      domain: place.sent,
      popupId: draft.popupId,
      options: checked?.columns,
    })
    if (!result.ok) {
      onRefusals(
        new Map([...result.refusals].map(([index, text]) => [wanted[index]?.line ?? 0, text])),
      )
      return refusalAt(result.refusals.size > 0 ? 'url' : undefined, result.notice)
    }
    const [first] = result.links
    if (first !== undefined) onCreated(first)
    return undefined
  }

  return useForm({
    schema: linkForm,
    values: {
      url: draft.url,
      code: draft.code,
      domain: place.domain,
      popup: draft.popupId,
      ...draft.options,
    },
    reveal,
    submit: ({ code }) => {
      // One line may have blank ones around it.
      const [only] = links
      return links.length > 1 ? makeSeveral() : makeOne(only?.url ?? only?.typed ?? draft.url, code)
    },
  })
}
