import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useId, useLayoutEffect, useRef, useState } from 'react'
import { readableUrl } from '#domain/links/readable-url.ts'
import { ruleBounds } from '#domain/visits/rules.ts'
import { Button, IconButton } from '#web/ui/button.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { ConditionFields } from './condition-fields.tsx'
import type { RuleProblems } from './rule-problems.ts'
import { type DraftRule, newCondition, newRule, type RulesDraft } from './rules-draft.ts'
import { TargetFields, SplitFields } from './target-fields.tsx'

interface RulesFieldsProps {
  draft: RulesDraft
  change: (changed: Partial<RulesDraft>) => void
  problems: RuleProblems
  /** Time zone of the person. */
  zone: string
  /** The destination of the link. */
  destination: string
}

/** All rules of a link in their order, with everyone else last. */
export function RulesFields({ draft, change, problems, zone, destination }: RulesFieldsProps) {
  const { list, focusOn, announcement, announce } = useFocusInList(draft.rules)
  const hasAllConditions = countConditions(draft.rules) >= ruleBounds.allConditions
  const limit = hasAllConditions
    ? `A link has at most ${ruleBounds.allConditions} conditions.`
    : draft.rules.length >= ruleBounds.rules
      ? `A link has at most ${ruleBounds.rules} rules.`
      : undefined

  const changeRule = (key: string, changed: Partial<DraftRule>) =>
    change({
      rules: draft.rules.map((rule) => (rule.key === key ? { ...rule, ...changed } : rule)),
    })

  function move(index: number, step: -1 | 1) {
    const rule = draft.rules[index]
    const other = draft.rules[index + step]
    if (rule === undefined || other === undefined) return
    change({ rules: draft.rules.with(index, other).with(index + step, rule) })
    focusOn(rule.key, step < 0 ? 'Move up' : 'Move down')
    announce(`Rule ${index + 1} is rule ${index + step + 1} now.`)
  }

  function add() {
    const rule = newRule(zone)
    change({ rules: [...draft.rules, rule] })
    focusOn(rule.key)
  }

  function remove(index: number) {
    const rules = draft.rules.filter((_, i) => i !== index)
    change({ rules })
    focusOn(rules[Math.min(index, rules.length - 1)]?.key)
    announce(`Rule ${index + 1} is deleted.`)
  }

  return (
    <>
      <p className="text-sm text-ink-soft">The first rule that fits a visitor wins.</p>
      <ol ref={list} aria-label="Rules" className="grid min-w-0 gap-4 empty:hidden">
        {draft.rules.map((rule, i) => (
          <li key={rule.key} data-row={rule.key} className="min-w-0">
            <RuleFields
              rule={rule}
              index={i}
              isLast={i === draft.rules.length - 1}
              mayAdd={!hasAllConditions}
              zone={zone}
              problems={problems}
              onChange={(changed) => changeRule(rule.key, changed)}
              onMove={(step) => move(i, step)}
              onDelete={() => remove(i)}
            />
          </li>
        ))}
      </ol>
      <output className="sr-only">{announcement}</output>
      {limit === undefined ? (
        <Button size="small" className="justify-self-start" data-add onClick={add}>
          <Plus size={16} aria-hidden />
          Add rule
        </Button>
      ) : (
        <p className="text-sm text-ink-faint">{limit}</p>
      )}
      <EveryoneElse {...{ destination, draft, problems, change }} />
    </>
  )
}

const countConditions = (rules: readonly DraftRule[]) =>
  rules.reduce((sum, { when }) => sum + when.length, 0)

/** Moves the focus with a rule that is added or moved, and says so. */
function useFocusInList(rules: readonly DraftRule[]) {
  const list = useRef<HTMLOListElement>(null)
  const wanted = useRef<{ key: string | undefined; button: string | undefined }>(undefined)
  const [announcement, setAnnouncement] = useState('')
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    const { key, button } = wanted.current
    const row = list.current?.querySelector(`[data-row="${key ?? ''}"]`)
    const target =
      row?.querySelector<HTMLElement>(button === undefined ? 'select' : `[title="${button}"]`) ??
      list.current?.parentElement?.querySelector<HTMLElement>('[data-add]')
    target?.focus()
    wanted.current = undefined
  }, [rules])
  return {
    list,
    announcement,
    announce: setAnnouncement,
    focusOn: (key: string | undefined, button?: string) => {
      wanted.current = { key, button }
    },
  }
}

interface RuleFieldsProps {
  rule: DraftRule
  index: number
  isLast: boolean
  /** Whether the link may have another condition. */
  mayAdd: boolean
  zone: string
  problems: RuleProblems
  onChange: (change: Partial<DraftRule>) => void
  onMove: (step: -1 | 1) => void
  onDelete: () => void
}

function RuleFields(props: RuleFieldsProps) {
  const { rule, index, isLast, mayAdd, zone, problems, onChange, onMove, onDelete } = props
  const id = useId()
  const addCondition = useRef<HTMLButtonElement>(null)
  const { when } = rule
  return (
    <fieldset
      aria-labelledby={id}
      className="grid min-w-0 gap-3 rounded-2xl border border-line bg-paper p-4"
    >
      <div className="flex items-center">
        <h3 id={id} className="grow font-medium">
          Rule {index + 1}
        </h3>
        {/* Locked, and not disabled: the focus stays. */}
        <IconButton label="Move up" aria-disabled={index === 0} onClick={() => onMove(-1)}>
          <ArrowUp size={17} aria-hidden />
        </IconButton>
        <IconButton label="Move down" aria-disabled={isLast} onClick={() => onMove(1)}>
          <ArrowDown size={17} aria-hidden />
        </IconButton>
        <IconButton label="Delete rule" onClick={onDelete}>
          <Trash2 size={17} aria-hidden />
        </IconButton>
      </div>
      {when.map((condition, i) => (
        <ConditionFields
          key={condition.key}
          condition={condition}
          path={`${index}.when.${i}`}
          name={`Condition ${i + 1}`}
          problems={problems}
          onChange={(changed) =>
            onChange({
              when: when.map((other) => (other.key === changed.key ? changed : other)),
            })
          }
          onRemove={
            when.length === 1
              ? undefined
              : () => {
                  onChange({ when: when.filter(({ key }) => key !== condition.key) })
                  requestAnimationFrame(() => addCondition.current?.focus())
                }
          }
        />
      ))}
      {when.length >= ruleBounds.conditions || !mayAdd ? null : (
        <Button
          ref={addCondition}
          size="small"
          className="justify-self-start"
          onClick={() => onChange({ when: [...when, newCondition('system', zone)] })}
        >
          Add condition
        </Button>
      )}
      <TargetFields rule={rule} path={String(index)} problems={problems} onChange={onChange} />
    </fieldset>
  )
}

const elseTargets = [
  { value: 'destination', label: 'The destination' },
  { value: 'split', label: 'A/B split' },
] as const

interface EveryoneElseProps {
  destination: string
  draft: RulesDraft
  problems: RuleProblems
  change: (changed: Partial<RulesDraft>) => void
}

/** The last entry of the rules: the destination of the link, or a split. */
function EveryoneElse({ destination, draft, problems, change }: EveryoneElseProps) {
  return (
    <fieldset className="grid min-w-0 gap-3 rounded-2xl border border-line bg-paper p-4">
      <legend className="sr-only">Everyone else</legend>
      <h3 aria-hidden className="font-medium">
        Everyone else
      </h3>
      <SelectField
        label="Target"
        name="else"
        options={elseTargets}
        value={draft.isElseSplit ? 'split' : 'destination'}
        onChange={(target) => change({ isElseSplit: target === 'split' })}
      />
      {draft.isElseSplit ? (
        <SplitFields
          variants={draft.elseSplit}
          path={`${draft.rules.length}.split`}
          problems={problems}
          destination={destination}
          onChange={(elseSplit) => change({ elseSplit })}
        />
      ) : (
        <p className="text-sm text-ink-soft wrap-anywhere">{readableUrl(destination)}</p>
      )}
    </fieldset>
  )
}
