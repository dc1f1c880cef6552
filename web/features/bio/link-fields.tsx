import type { ClipboardEvent, KeyboardEvent } from 'react'
import { bioLimits, hasAddress, isSkippedLink } from '#domain/bio/bio-form.ts'
import { type PastedLink, pastedLinks } from '#domain/bio/pasted-links.ts'
import { characterCount } from '#web/ui/fields/character-count.ts'
import { Field } from '#web/ui/fields/field.tsx'
import type { LinkDraft } from './bio-draft.ts'
import { LinkExtras } from './link-extras.tsx'
import type { Problems } from './use-bio-editor.ts'

interface LinkFieldsProps {
  row: LinkDraft
  /** Path of the row in the form: 'links.2'. */
  path: string
  problems: Problems
  onChange: (content: Partial<LinkDraft>) => void
  /** Enter in the last field. */
  onNext: () => void
  /** Several lines with addresses were pasted. */
  onPasted: (links: readonly PastedLink[]) => void
}

/** The fields of one link, header or divider. Enter leads to the next field, and Ctrl Enter saves. */
export function LinkFields(props: LinkFieldsProps) {
  const { row, path, problems, onChange, onNext, onPasted } = props
  const isLink = hasAddress(row.kind)
  function onEnter(event: KeyboardEvent<HTMLInputElement>, next: () => void) {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (event.ctrlKey || event.metaKey) event.currentTarget.form?.requestSubmit()
    else next()
  }

  function onPaste(event: ClipboardEvent<HTMLInputElement>) {
    const links = pastedLinks(event.clipboardData.getData('text/plain'))
    if (links === null) return
    event.preventDefault()
    onPasted(links)
  }

  return (
    <div className="grid gap-3 @md:grid-cols-2">
      {row.kind === 'divider' ? null : (
        <Field
          label={isLink ? 'Link title' : 'Header'}
          data-path={`${path}.title`}
          note={characterCount(row.title, bioLimits.linkTitle)}
          autoComplete="off"
          enterKeyHint="next"
          value={row.title}
          onChange={(event) => onChange({ title: event.target.value })}
          onKeyDown={(event) => {
            const { form } = event.currentTarget
            const url = form?.querySelector<HTMLElement>(`[data-path="${path}.url"]`)
            onEnter(event, () => (url ? url.focus() : onNext()))
          }}
          onPaste={onPaste}
          error={problems.get(`${path}.title`)}
        />
      )}
      {isLink ? (
        <Field
          label="Link URL"
          data-path={`${path}.url`}
          kind="url"
          placeholder="https://"
          enterKeyHint="next"
          value={row.url}
          onChange={(event) => onChange({ url: event.target.value })}
          onKeyDown={(event) => onEnter(event, onNext)}
          onPaste={onPaste}
          error={problems.get(`${path}.url`)}
        />
      ) : null}
      {isSkippedLink(row) && row.title + row.url !== '' ? (
        <p className="text-sm text-ink-faint @md:col-span-2">Add a title and URL to show it.</p>
      ) : null}
      <LinkExtras row={row} path={path} problems={problems} onChange={onChange} />
    </div>
  )
}
