/** A value that the record keeps, and what people read for it. */
interface Option<Value extends string> {
  readonly value: Value
  readonly label: string
}

export type PopupPosition = 'center' | 'top' | 'bottom' | 'bottom-right' | 'bottom-left'
export type PopupSize =
  | 'small'
  | 'medium'
  | 'large'
  | 'extra-large'
  | 'full-width'
  | 'compact'
  | 'tall'
export type FontStyle = 'casual' | 'professional' | 'modern' | 'elegant'
export type ShadowStyle = 'none' | 'soft' | 'medium' | 'bold'

/** Where visitors can meet a popup. The editor offers the first three. */
export const popupPositions: readonly Option<PopupPosition>[] = [
  { value: 'center', label: 'Center' },
  { value: 'top', label: 'Top' },
  { value: 'bottom', label: 'Bottom' },
  { value: 'bottom-right', label: 'Bottom right' },
  { value: 'bottom-left', label: 'Bottom left' },
]

export const popupSizes: readonly Option<PopupSize>[] = [
  { value: 'small', label: 'Small (300 px)' },
  { value: 'medium', label: 'Medium (400 px)' },
  { value: 'large', label: 'Large (500 px)' },
  { value: 'extra-large', label: 'Extra large (600 px)' },
  { value: 'full-width', label: 'Full width (90%)' },
  { value: 'compact', label: 'Compact (350 × 400 px)' },
  { value: 'tall', label: 'Tall (400 × 600 px)' },
]

export const fontStyles: readonly Option<FontStyle>[] = [
  { value: 'casual', label: 'Casual' },
  { value: 'professional', label: 'Professional' },
  { value: 'modern', label: 'Modern' },
  { value: 'elegant', label: 'Elegant' },
]

export const shadowStyles: readonly Option<ShadowStyle>[] = [
  { value: 'none', label: 'None' },
  { value: 'soft', label: 'Soft' },
  { value: 'medium', label: 'Medium' },
  { value: 'bold', label: 'Bold' },
]

/** The limits of the popup form: lengths in characters, the delay in seconds, the radius in pixels. */
export const popupLimits = {
  title: 200,
  description: 500,
  ctaText: 50,
  delay: 10,
  borderRadius: 24,
  prompt: 1000,
  imageBytes: 5 * 1024 * 1024,
} as const
