import { useQuery } from '@tanstack/react-query'
import { namedOn } from '#domain/links/link-address.ts'
import { normalizeShortCode } from '#domain/links/short-codes.ts'
import { popupChoicesQuery } from '#web/popup-picker/popup-choices.ts'
import { Button } from '#web/ui/button.tsx'
import { StickyDialogActions } from '#web/ui/dialogs/sticky-dialog-actions.tsx'
import { verbatim } from '#web/ui/fields/field.tsx'
import { TextAreaField } from '#web/ui/fields/text-area-field.tsx'
import { modKey } from '#web/ui/hooks/use-shortcuts.ts'
import { Key } from '#web/ui/key.tsx'
import { countSet } from '../options/option-sections.ts'
import { optionsDraftOf } from '../options/options-draft.ts'
import { utmNames, utmOf } from '../options/utm.ts'
import { ComposeSection } from './compose-section.tsx'
import { ComposePreview } from './compose-preview.tsx'
import { type ComposeDraft, maxLines } from './compose-draft.ts'
import { FormSections } from './form-sections.tsx'
import { LinksLeft } from './links-left.tsx'
import { PlannedLinks } from './planned-links.tsx'
import { SameDestination } from './same-destination.tsx'
import { schemeHint } from './scheme-hint.ts'
import type { Composing } from './use-composing.ts'

interface ComposeFormProps {
  userId: string
  draft: ComposeDraft
  composing: Composing
  /** Whether all of the draft is there. */
  isReady: boolean
  onChange: (change: Partial<ComposeDraft>) => void
  onClose: () => void
}

/** The form of a new link, or of several. */
export function ComposeForm(props: ComposeFormProps) {
  const { userId, draft, composing, isReady, onChange, onClose } = props
  const { form, links, place, section, setSection, refusals, submit } = composing
  const { data: popups } = useQuery(popupChoicesQuery(userId))
  const areMany = links.length > 1
  const utm = shownUtm(draft)
  const options = draft.options ?? optionsDraftOf(undefined)
  const counts = {
    ...countSet({ options, hasPassword: false, utm }),
    rules: draft.rules === undefined ? 0 : countRules(draft.rules.draft),
  }
  const own = areMany ? 0 : [draft.code.trim() !== '', draft.isOnBio].filter(Boolean).length
  const made = countMade(links)

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- hears keys from its own fields
    <form
      {...form.props}
      className="sm:grid sm:min-h-0 sm:grid-cols-[minmax(0,1fr)] sm:grid-rows-[minmax(0,1fr)_auto]"
      onSubmit={(event) => {
        event.preventDefault()
        submit(true)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault()
          submit(true)
        }
      }}
      onClick={(event) => {
        // A link to another screen, for example to make the first popup.
        if (event.target instanceof Element && event.target.closest('a') !== null) onClose()
      }}
    >
      <FormSections
        counts={{ ...counts, link: counts.link + own + (draft.popupId === null ? 0 : 1) }}
        open={section}
        onOpen={setSection}
        render={(shown) => (
          <ComposeSection
            section={shown}
            {...{ userId, draft, utm, links, place, onChange }}
            errorOf={form.errorOf}
          />
        )}
        after={areMany ? <PlannedLinks {...{ links, refusals }} /> : null}
        aside={
          <ComposePreview
            userId={userId}
            code={namedOn({
              name: areMany ? '' : normalizeShortCode(draft.code),
              domain: place.domain,
            })}
            destination={links[0]?.url}
            popupTitle={popups?.find(({ id }) => id === draft.popupId)?.name}
            count={made}
            note={
              counts.campaign === 0
                ? undefined
                : '“Create and add another” keeps the campaign and the tags.'
            }
          />
        }
      >
        <DestinationField {...{ draft, composing, onChange }} />
        {areMany ? null : <SameDestination {...{ userId, destination: links[0]?.url }} />}
      </FormSections>
      <StickyDialogActions>
        <div className="mr-auto min-w-0">
          <LinksLeft userId={userId} count={Math.max(1, made)} />
        </div>
        <Button className="max-lg:hidden" onClick={onClose}>
          Cancel
        </Button>
        <Button busy={form.busy} className="max-sm:hidden" onClick={() => submit(false)}>
          Create and add another
        </Button>
        <Button type="submit" look="accent" busy={form.busy || !isReady} className="max-sm:grow">
          {form.busy ? 'Creating...' : areMany ? `Create ${made} links` : 'Create and copy'}
          <Key className="max-sm:hidden pointer-coarse:hidden">{modKey}↵</Key>
        </Button>
      </StickyDialogActions>
    </form>
  )
}

/** The destination of a link; of several, one a line. */
function DestinationField({
  draft,
  composing,
  onChange,
}: Pick<ComposeFormProps, 'draft' | 'composing' | 'onChange'>) {
  const { form, links, submit, destination } = composing
  const areMany = links.length > 1
  const made = countMade(links)
  return (
    <TextAreaField
      ref={destination}
      label="Destination"
      name="url"
      {...verbatim}
      inputMode="url"
      rows={1}
      className="max-h-36! min-h-11!"
      placeholder="https://example.com/a-very-long-address"
      data-first-focus
      note={
        areMany ? `${links.length} lines, ${made === 1 ? '1 link' : `${made} links`}` : undefined
      }
      value={draft.url}
      onChange={(event) => {
        composing.forgetRefusals()
        onChange({ url: event.target.value })
      }}
      onKeyDown={(event) => {
        // One address is sent as from any field; several are lines of a text.
        const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey
        if (event.key !== 'Enter' || !isPlain || event.nativeEvent.isComposing) return
        if (draft.url.includes('\n')) return
        event.preventDefault()
        submit(true)
      }}
      hint={
        areMany
          ? undefined
          : (schemeHint(draft.url) ?? `Paste up to ${maxLines} lines for as many links.`)
      }
      error={form.errorOf('url')}
    />
  )
}

const countMade = (links: Composing['links']) =>
  links.filter(({ sameAs }) => sameAs === undefined).length

/** The campaign as the fields show it: theirs, or that of the typed address. */
function shownUtm({ url, utm }: ComposeDraft) {
  const typed = utmOf(url.split('\n', 1)[0] ?? '')
  const shown = { ...utm }
  for (const name of utmNames) shown[name] ||= typed[name]
  return shown
}

function countRules({ rules, isElseSplit }: { rules: readonly unknown[]; isElseSplit: boolean }) {
  return rules.length + (isElseSplit ? 1 : 0)
}
