import { useQuery } from '@tanstack/react-query'
import { readableUrl } from '#domain/links/readable-url.ts'
import type { LinkRules } from '#domain/visits/rules.ts'
import { variantLetter } from '#domain/visits/rules-reader.ts'
import { popupChoicesQuery } from '#web/popup-picker/popup-choices.ts'
import { ruleWords } from './rule-words.ts'
import type { SimulationAnswer } from '#domain/reports/report-answers.ts'

const outcomeWords: Readonly<Record<string, string>> = {
  redirect: 'The visitor goes to:',
  password: 'The visitor is asked for the password.',
  not_yet: 'The link has not started.',
  ended: 'The link has ended.',
  off: 'The link is off.',
  blocked: 'The visitor is stopped: the address is blocked.',
  preview: 'The visitor gets the preview.',
}

interface SimulationResultProps {
  simulation: SimulationAnswer
  rules: LinkRules
  userId: string
}

/** The outcome of a simulated visit in plain words, with the reasons. */
export function SimulationResult({ simulation, rules, userId }: SimulationResultProps) {
  const { outcome, address, skipped, popup_id } = simulation
  const { data: popups } = useQuery({ ...popupChoicesQuery(userId), enabled: popup_id !== null })
  const popup = popups?.find(({ id }) => id === popup_id)
  const words =
    outcome === 'interstitial'
      ? `The visitor sees the popup${popup === undefined ? '' : ` “${popup.name}”`}, and then goes to:`
      : outcomeWords[outcome]
  return (
    <div className="grid gap-2 text-sm wrap-anywhere">
      <p className="text-ink-soft">{words}</p>
      {address === null ? null : <p className="text-base font-medium">{readableUrl(address)}</p>}
      {outcome === 'redirect' || outcome === 'interstitial' ? (
        <p>{decidingWords(simulation, rules)}</p>
      ) : null}
      {skipped.length === 0 ? null : (
        <ul aria-label="Rules that do not fit" className="grid gap-1.5 text-ink-soft">
          {skipped.map(({ rule_id, why }) => (
            <li key={rule_id}>
              Rule {indexOf(rules, rule_id) + 1}: {why}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const indexOf = (rules: LinkRules, id: string) => rules.findIndex((rule) => rule.id === id)

/** "Rule 2 decides, variant B: country is Germany." */
function decidingWords({ rule_id, variant_id }: SimulationAnswer, rules: LinkRules): string {
  const index = rule_id === null ? -1 : indexOf(rules, rule_id)
  const rule = rules[index]
  if (rule === undefined)
    return rules.length === 0 ? 'The link has no rules.' : 'No rule fits: everyone else.'
  const letter = rule.split?.findIndex(({ id }) => id === variant_id) ?? -1
  const variant = letter < 0 ? '' : `, variant ${variantLetter(letter)}`
  if ('else' in rule) return `No rule fits: everyone else${variant}.`
  return `Rule ${index + 1} decides${variant}: ${ruleWords(rule).when}.`
}
