import { useQuery } from '@tanstack/react-query'
import { connectionTexts } from '#domain/texts/session-texts.ts'
import { timeZoneQuery } from '#web/clicks/time-zone-query.ts'
import type { DomainChoice } from '#web/domains/domain-choices.ts'
import { PopupPicker } from '#web/popup-picker/popup-picker.tsx'
import { shownHost } from '#web/shown-link.ts'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { useLazyPart } from '#web/ui/hooks/use-lazy-part.ts'
import { LazyOptionPanel } from '../options/lazy-option-panel.tsx'
import type { LinkSection } from '../options/option-sections.ts'
import type { Utm } from '../options/utm.ts'
import { BioSwitch } from './bio-switch.tsx'
import { type ComposeDraft, type PlannedLink, withoutUtm } from './compose-draft.ts'
import { CodeSuggestions } from './code-suggestions.tsx'
import { ShortCodeField } from './short-code-field.tsx'

interface ComposeSectionProps {
  section: LinkSection
  userId: string
  draft: ComposeDraft
  /** The campaign as it is shown. */
  utm: Utm
  links: readonly PlannedLink[]
  place: DomainChoice
  onChange: (change: Partial<ComposeDraft>) => void
  errorOf: (field: string) => string | undefined
}

/** One part of the form of a new link. */
export function ComposeSection(props: ComposeSectionProps) {
  const { section, userId, draft, utm, links, place, onChange, errorOf } = props
  const areMany = links.length > 1
  if (section === 'rules')
    return areMany ? (
      <p className="text-sm text-ink-soft">
        Rules belong to one link. Make these links first, or enter one destination.
      </p>
    ) : (
      <RulesSection {...{ userId, draft, onChange }} destination={links[0]?.url ?? ''} />
    )
  const options = (
    <LazyOptionPanel
      {...{ section, userId, link: undefined, areMany, utm, errorOf }}
      // A value that was typed in the address moves to its field.
      onUtm={(change) =>
        onChange({ utm: { ...draft.utm, ...change }, url: withoutUtm(draft.url, change) })
      }
      entered={draft.options}
      onChange={(entered) => onChange({ options: entered })}
    />
  )
  if (section !== 'link') return options
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      {areMany ? (
        place.hosts.length === 0 ? null : (
          <SelectField
            label="Domain"
            name="domain"
            options={[null, ...place.hosts].map((host) => ({
              value: host ?? '',
              label: shownHost(host),
            }))}
            value={place.domain ?? ''}
            onChange={(host) => onChange({ domain: host === '' ? null : host })}
          />
        )
      ) : (
        <ShortCodeField
          userId={userId}
          {...{ domain: place.domain, hosts: place.hosts }}
          onDomain={(domain) => onChange({ domain })}
          value={draft.code}
          onChange={(code) => onChange({ code })}
          error={errorOf('code')}
        >
          <CodeSuggestions
            key={`${place.domain} ${links[0]?.url}`}
            domain={place.domain}
            url={links[0]?.url}
            title={draft.options?.title ?? ''}
            onTake={(code) => onChange({ code })}
          />
        </ShortCodeField>
      )}
      <PopupPicker
        name="popup"
        userId={userId}
        value={draft.popupId}
        onChange={(popupId) => onChange({ popupId })}
        none="No popup"
        error={errorOf('popup')}
      />
      {areMany ? null : (
        <BioSwitch
          userId={userId}
          isOn={draft.isOnBio}
          title={draft.bioTitle}
          placeholder={titleOf(links[0]?.url)}
          onChange={onChange}
        />
      )}
      {options}
    </div>
  )
}

const loadRulesPanel = async () => (await import('../rules/rules-panel.tsx')).RulesPanel

interface RulesSectionProps extends Pick<ComposeSectionProps, 'userId' | 'draft' | 'onChange'> {
  destination: string
}

function RulesSection({ userId, draft, destination, onChange }: RulesSectionProps) {
  const { data: zone, isError } = useQuery(timeZoneQuery(userId))
  const { Part: RulesPanel, hasFailed, retry } = useLazyPart(true, loadRulesPanel)
  if (hasFailed) return <FailedLine retry={retry}>{connectionTexts.partFailed}</FailedLine>
  if (RulesPanel === undefined || (zone === undefined && !isError))
    return (
      <output
        className="block h-60 animate-pulse rounded-xl bg-sunken"
        aria-label="Loading the rules"
      />
    )
  return (
    <RulesPanel
      entered={draft.rules}
      onChange={(rules) => onChange({ rules })}
      zone={zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone}
      destination={destination}
    />
  )
}

/** The title of a link on the bio page when none is typed. */
export function titleOf(url: string | undefined): string {
  return url === undefined ? '' : new URL(url).hostname.replace(/^www\./, '')
}
