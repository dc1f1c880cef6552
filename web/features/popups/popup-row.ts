import type { PopupDraft, PopupForm } from '#domain/popup-form.ts'
import type { PopupColumns, PopupRow } from '#web/database.ts'

export function popupDraftOf(row: PopupRow): PopupDraft {
  return {
    title: row.title,
    description: row.description ?? '',
    ctaText: row.cta_text,
    ctaUrl: row.cta_url ?? '',
    collectEmail: row.collect_email,
    imageUrl: row.image_url === '' ? null : row.image_url,
    backgroundColor: row.background_color,
    textColor: row.text_color,
    buttonColor: row.button_color,
    buttonTextColor: row.button_text_color,
    borderRadius: row.border_radius,
    fontStyle: row.font_style,
    shadowStyle: row.shadow_style,
    position: row.position,
    delayEnabled: row.trigger_delay_enabled,
    delay: row.trigger_delay,
    size: row.size_preset,
  }
}

export function columnsOf(form: PopupForm): PopupColumns {
  return {
    title: form.title,
    description: form.description,
    cta_text: form.ctaText,
    cta_url: form.ctaUrl,
    image_url: form.imageUrl,
    background_color: form.backgroundColor,
    text_color: form.textColor,
    button_color: form.buttonColor,
    button_text_color: form.buttonTextColor,
    position: form.position,
    trigger_delay: form.delay,
    trigger_delay_enabled: form.delayEnabled,
    collect_email: form.collectEmail,
    size_preset: form.size,
    border_radius: form.borderRadius,
    font_style: form.fontStyle,
    shadow_style: form.shadowStyle,
  }
}
