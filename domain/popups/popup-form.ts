import * as z from 'zod/mini'
import { normalHex } from '#domain/colors.ts'
import type { ApiRows } from '#domain/database.generated.ts'
import { readDestination } from '#domain/links/destinations.ts'
import { popupLimits, popupSentences as sentences } from './popup-limits.ts'
import { popupFieldMessages as messages } from '#domain/texts/popup-texts.ts'
import { isVisible, limitedText, requiredText } from '#domain/forms/visible-text.ts'

type PopupRow = ApiRows['popups']

/**
 * A popup in the editor, by the names of its columns: texts as they are typed, whether they are valid or not yet. Radius
 * in pixels, delay in seconds.
 */
export interface PopupDraft extends Omit<
  PopupRow,
  'id' | 'user_id' | 'is_active' | 'created_at' | 'version'
> {
  name: string
  description: string
  cta_url: string
}

/** The defaults of the specification and, for open points, of the table. The button's text is large and bold. */
export const newPopup: PopupDraft = {
  name: '',
  title: '',
  description: '',
  cta_text: 'Get Started',
  cta_url: '',
  collect_email: false,
  keep_emails: true,
  consent_text: 'We may email you; you can unsubscribe anytime.',
  image_url: null,
  background_color: '#ffffff',
  text_color: '#1a1a1a',
  button_color: '#3b82f6',
  button_text_color: '#ffffff',
  border_radius: 16,
  font_style: 'modern',
  shadow_style: 'medium',
  position: 'center',
  trigger_delay_enabled: false,
  trigger_delay: 3,
  size_preset: 'medium',
}

/** A value that a column takes, and its label. */
type Options<Value extends string> = readonly { value: Value; label: string }[]

/** Where visitors can meet a popup. The editor offers the first three. */
export const popupPositions: Options<PopupRow['position']> = [
  { value: 'center', label: 'Center' },
  { value: 'top', label: 'Top' },
  { value: 'bottom', label: 'Bottom' },
  { value: 'bottom-right', label: 'Bottom right' },
  { value: 'bottom-left', label: 'Bottom left' },
]

export const popupSizes: Options<PopupRow['size_preset']> = [
  { value: 'small', label: 'Small (300 px)' },
  { value: 'medium', label: 'Medium (400 px)' },
  { value: 'large', label: 'Large (500 px)' },
  { value: 'extra-large', label: 'Extra large (600 px)' },
  { value: 'full-width', label: 'Full width (90%)' },
  { value: 'compact', label: 'Compact (350 × 400 px)' },
  { value: 'tall', label: 'Tall (400 × 600 px)' },
]

export const fontStyles: Options<PopupRow['font_style']> = [
  { value: 'casual', label: 'Casual' },
  { value: 'professional', label: 'Professional' },
  { value: 'modern', label: 'Modern' },
  { value: 'elegant', label: 'Elegant' },
]

export const shadowStyles: Options<PopupRow['shadow_style']> = [
  { value: 'none', label: 'None' },
  { value: 'soft', label: 'Soft' },
  { value: 'medium', label: 'Medium' },
  { value: 'bold', label: 'Bold' },
]

/** One of the values of these options. */
export function oneOf<Value extends string>(options: Options<Value>) {
  return z.enum(options.map(({ value }) => value))
}

const color = z.pipe(
  z.string().check(z.refine((typed) => normalHex(typed) !== null, messages.color)),
  z.transform((typed) => normalHex(typed) ?? typed),
)

/** The corner radius in pixels. */
export const borderRadius = z.int().check(z.minimum(0), z.maximum(popupLimits.border_radius))

/**
 * The popup form: takes a draft, answers with the columns to store. The screen shows the first issue;
 * its path names the field. An address that gets email addresses must be https, so that
 * it cannot be read on the way.
 */
export const popupForm = z
  .object({
    name: z.pipe(
      limitedText(popupLimits.name, sentences.popups_name_check).check(
        z.refine((name) => name === '' || isVisible(name), sentences.popups_name_visible),
      ),
      z.transform((name) => (name === '' ? null : name)),
    ),
    title: requiredText(
      popupLimits.title,
      sentences.popups_title_visible,
      sentences.popups_title_check,
    ),
    description: limitedText(popupLimits.description, sentences.popups_description_check),
    cta_text: requiredText(
      popupLimits.cta_text,
      sentences.popups_cta_text_visible,
      sentences.popups_cta_text_check,
    ),
    cta_url: z.pipe(
      z.string().check(
        z.trim(),
        z.refine((url) => url === '' || storableUrl(url) !== null, messages.buttonUrl),
      ),
      z.transform(storableUrl),
    ),
    collect_email: z.boolean(),
    keep_emails: z.boolean(),
    consent_text: requiredText(
      popupLimits.consent_text,
      sentences.popups_consent_text_visible,
      sentences.popups_consent_text_check,
    ),
    image_url: z.nullable(z.string()),
    background_color: color,
    text_color: color,
    button_color: color,
    button_text_color: color,
    border_radius: borderRadius,
    font_style: oneOf(fontStyles),
    shadow_style: oneOf(shadowStyles),
    position: oneOf(popupPositions),
    trigger_delay_enabled: z.boolean(),
    trigger_delay: z.number().check(z.minimum(0), z.maximum(popupLimits.trigger_delay)),
    size_preset: oneOf(popupSizes),
  } satisfies Record<keyof PopupDraft, unknown>)
  .check(
    z.refine((form) => !form.collect_email || form.keep_emails || form.cta_url !== null, {
      error: messages.emailWithoutUrl,
      path: ['cta_url'],
    }),
    z.refine(
      (form) => !form.collect_email || form.cta_url === null || form.cta_url.startsWith('https:'),
      { error: sentences.popups_email_over_https, path: ['cta_url'] },
    ),
  )

/** A valid popup, as it is stored: texts trimmed, addresses and colors in their normal form. */
export type PopupForm = z.infer<typeof popupForm>

/** The draft that edits a stored popup. */
export function popupDraftOf(row: PopupRow): PopupDraft {
  const {
    id: _,
    user_id: _owner,
    is_active: _active,
    created_at: _created,
    version: _version,
    ...columns
  } = row
  return {
    ...columns,
    name: row.name ?? '',
    description: row.description ?? '',
    cta_url: row.cta_url ?? '',
    image_url: row.image_url === '' ? null : row.image_url,
  }
}

/** The description that a generator gets, in a field of this name. */
export function promptForm(field: string, missing: string) {
  const isShort = (prompt: string) => prompt.length <= popupLimits.prompt
  return z.object({
    [field]: z
      .string()
      .check(z.trim(), z.minLength(1, missing), z.refine(isShort, messages.promptLength)),
  })
}

function storableUrl(typed: string): string | null {
  const checked = readDestination(typed, { ownHosts: [] })
  return checked.ok ? checked.url : null
}
