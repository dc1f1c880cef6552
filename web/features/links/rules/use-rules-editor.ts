import { useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState } from 'react'
import { ruleNotices } from '#domain/texts/link-texts.ts'
import { notices } from '#domain/texts/texts.ts'
import { parseRules } from '#domain/visits/parse-rules.ts'
import { ruleProblemSentence, type RuleProblem } from '#domain/visits/rules-reader.ts'
import type { LinkRow } from '#web/api/database.ts'
import { randomUuid } from '#web/random-uuid.ts'
import { site } from '#web/site.ts'
import type { Conflict } from '#web/ui/dialogs/conflict-dialog.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { reloadLinks } from '../list/live-links.ts'
import { focusOnProblem, problemsByPath } from './rule-problems.ts'
import { draftOf, areRulesChanged, newRule, type RulesDraft, rulesOfDraft } from './rules-draft.ts'
import { linkRulesQuery, saveRules, type VersionedRules } from './rules-query.ts'

const noProblems: readonly RuleProblem[] = []

/** How the editor opens: as the rules are, with a split of everyone, or with a new rule. */
export type RulesStart = 'as-saved' | 'split' | 'rule'

interface EditedRules {
  link: LinkRow
  loaded: VersionedRules
  start?: RulesStart | undefined
  /** Time zone of the person. */
  zone: string
  onSaved: () => void
}

interface SaveChoice {
  version?: number
  ignoresExpectations?: boolean
}

/** State of the editor: the draft, its problems, and the save with its questions. */
export function useRulesEditor({ link, loaded, start, zone, onSaved }: EditedRules) {
  const client = useQueryClient()
  const [stored, setStored] = useState(versionedDraft(loaded, zone))
  const [draft, setDraft] = useState(() => startedDraft(stored.draft, start, zone))
  const [problems, setProblems] = useState(noProblems)
  const [staleVersion, setStaleVersion] = useState<number>()
  const [broken, setBroken] = useState<{ details: string; version: number }>()
  // Leaving right after a save loses nothing.
  const isSaved = useRef(false)
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => focusOnProblem(form.current, problems), [problems])

  const change = (changed: Partial<RulesDraft>) => {
    setDraft((now) => ({ ...now, ...changed }))
    setProblems(noProblems)
  }

  const saving = useAction(
    async ({ version = stored.version, ignoresExpectations = false }: SaveChoice) => {
      const parsed = parseRules(rulesOfDraft(draft), {
        ownHosts: site.ownHosts,
        destination: link.original_url,
        newId: randomUuid,
      })
      if (!parsed.ok) {
        setProblems(parsed.problems)
        const [first] = parsed.problems
        return notifyError({
          ...ruleNotices.saveFailed,
          ...(first && { description: ruleProblemSentence(first) }),
        })
      }
      const { rules } = parsed
      const result = await saveRules({ linkId: link.id, rules, version, ignoresExpectations })
      if (result.ok) {
        isSaved.current = true
        const saved = { rules, version: result.version }
        client.setQueryData(linkRulesQuery(link.id).queryKey, saved)
        void client.invalidateQueries({ queryKey: linkRulesQuery(link.id).queryKey })
        void reloadLinks(client, [link.id])
        notifySuccess(ruleNotices.saved)
        return onSaved()
      }
      switch (result.reason) {
        case 'stale':
          return setStaleVersion(result.version)
        case 'expectation':
          return setBroken({ details: result.details, version })
        case 'refused':
          return notifyError({ ...ruleNotices.saveFailed, description: result.message })
        case 'failed':
          return notifyError(ruleNotices.saveFailed)
      }
    },
  )

  /** The rules as they are stored now take the place of the draft. */
  const takeTheirs = useAction(async () => {
    try {
      const theirs = await client.fetchQuery({ ...linkRulesQuery(link.id), staleTime: 0 })
      const read = versionedDraft(theirs, zone)
      setDraft(read.draft)
      setStored(read)
      setStaleVersion(undefined)
    } catch {
      notifyError(notices.loadFailed)
    }
  })

  const conflict: Conflict | undefined =
    staleVersion === undefined
      ? undefined
      : {
          keepMine() {
            setStaleVersion(undefined)
            saving.run({ version: staleVersion })
          },
          takeTheirs,
          close: () => setStaleVersion(undefined),
        }

  return {
    form,
    draft,
    change,
    problems: problemsByPath(problems),
    save: () => saving.run({}),
    busy: saving.busy,
    conflict,
    broken: broken && {
      details: broken.details,
      saveAnyway() {
        setBroken(undefined)
        saving.run({ version: broken.version, ignoresExpectations: true })
      },
      close: () => setBroken(undefined),
    },
    hasUnsaved: () => !isSaved.current && areRulesChanged(draft, stored.draft),
  }
}

function startedDraft(draft: RulesDraft, start: RulesStart | undefined, zone: string): RulesDraft {
  if (start === 'split') return { ...draft, isElseSplit: true }
  return start === 'rule' ? { ...draft, rules: [...draft.rules, newRule(zone)] } : draft
}

function versionedDraft({ rules, version }: VersionedRules, zone: string) {
  return { version, draft: draftOf(rules, zone) }
}
