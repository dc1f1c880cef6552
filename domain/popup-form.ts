import * as z from 'zod/mini'
import { normalHex } from './colors.ts'
import { checkDestination } from './destinations.ts'
import {
  type FontStyle,
  popupLimits,
  type PopupPosition,
  type PopupSize,
  type ShadowStyle,
} from './popup-options.ts'
import { popupFieldMessages as messages } from './texts.ts'
import { limitedText, requiredText } from './visible-text.ts'

/** A popup in the editor: texts as they are typed, whether they are valid or not yet. */
export interface PopupDraft {
  readonly title: string
  readonly description: string
  readonly ctaText: string
  readonly ctaUrl: string
  readonly collectEmail: boolean
  readonly imageUrl: string | null
  readonly backgroundColor: string
  readonly textColor: string
  readonly buttonColor: string
  readonly buttonTextColor: string
  /** In pixels, 0 to 24. */
  readonly borderRadius: number
  readonly fontStyle: FontStyle
  readonly shadowStyle: ShadowStyle
  readonly position: PopupPosition
  readonly delayEnabled: boolean
  /** In seconds, 0 to 10. */
  readonly delay: number
  readonly size: PopupSize
}

/** The defaults of the specification and, for what it leaves open, of the table. The button's text is large and bold. */
export const newPopup: PopupDraft = {
  title: '',
  description: '',
  ctaText: 'Get Started',
  ctaUrl: '',
  collectEmail: false,
  imageUrl: null,
  backgroundColor: '#ffffff',
  textColor: '#1a1a1a',
  buttonColor: '#3b82f6',
  buttonTextColor: '#ffffff',
  borderRadius: 16,
  fontStyle: 'modern',
  shadowStyle: 'medium',
  position: 'center',
  delayEnabled: false,
  delay: 3,
  size: 'medium',
}

const color = z.pipe(
  z.string().check(z.refine((typed) => normalHex(typed) !== null, messages.color)),
  z.transform((typed) => normalHex(typed) ?? typed),
)

/**
 * The popup form: takes a draft, answers with what is to be stored. The first issue is what the screen shows;
 * its path names the field. An address that gets email addresses must be https, so that
 * it cannot be read on the way.
 */
export const popupForm = z
  .object({
    title: requiredText(popupLimits.title, messages.title, messages.titleLength),
    description: limitedText(popupLimits.description, messages.descriptionLength),
    ctaText: requiredText(popupLimits.ctaText, messages.ctaText, messages.ctaTextLength),
    ctaUrl: z.pipe(
      z.string().check(
        z.trim(),
        z.refine((url) => url === '' || storableUrl(url) !== null, messages.ctaUrl),
      ),
      z.transform(storableUrl),
    ),
    collectEmail: z.boolean(),
    imageUrl: z.nullable(z.string()),
    backgroundColor: color,
    textColor: color,
    buttonColor: color,
    buttonTextColor: color,
    borderRadius: z.int().check(z.minimum(0), z.maximum(popupLimits.borderRadius)),
    fontStyle: z.enum(['casual', 'professional', 'modern', 'elegant']),
    shadowStyle: z.enum(['none', 'soft', 'medium', 'bold']),
    position: z.enum(['center', 'top', 'bottom', 'bottom-right', 'bottom-left']),
    delayEnabled: z.boolean(),
    delay: z.number().check(z.minimum(0), z.maximum(popupLimits.delay)),
    size: z.enum(['small', 'medium', 'large', 'extra-large', 'full-width', 'compact', 'tall']),
  })
  .check(
    z.refine((form) => !form.collectEmail || form.ctaUrl !== null, {
      error: messages.emailWithoutUrl,
      path: ['ctaUrl'],
    }),
    z.refine(
      (form) => !form.collectEmail || form.ctaUrl === null || form.ctaUrl.startsWith('https:'),
      { error: messages.emailWithoutHttps, path: ['ctaUrl'] },
    ),
  )

/** The description that a generator gets, in a field of this name. */
export function promptForm(field: string, missing: string) {
  const isShort = (prompt: string) => prompt.length <= popupLimits.prompt
  return z.object({
    [field]: z
      .string()
      .check(z.trim(), z.minLength(1, missing), z.refine(isShort, messages.promptLength)),
  })
}

/** A valid popup: texts trimmed, addresses and colors as they are stored; no button address is null. */
export type PopupForm = z.infer<typeof popupForm>

function storableUrl(typed: string): string | null {
  const checked = checkDestination(typed, { ownHosts: [] })
  return checked.ok ? checked.url : null
}
