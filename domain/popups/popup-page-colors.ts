import { contrast } from '#domain/colors.ts'
import { newPopup, type PopupDraft } from './popup-form.ts'
import { type Theme, themeColorToHex } from '#domain/bio/themes.ts'

type PopupColors = Pick<
  PopupDraft,
  'background_color' | 'text_color' | 'button_color' | 'button_text_color'
>

/** The colors of a popup that matches a bio page, as #rrggbb. Text and button pass WCAG AA on any page. */
export function popupColorsOf(theme: Theme): PopupColors {
  const [background, button, text] = [theme.background, theme.primary, theme.text].map(
    themeColorToHex,
  ) as [string, string, string]
  return {
    background_color: background,
    text_color: contrast(text, background) >= 4.5 ? text : inkOn(background),
    button_color: button,
    button_text_color: inkOn(button),
  }
}

/** White or the ink of a new popup, by the better contrast. */
function inkOn(ground: string): string {
  const { background_color: white, text_color: ink } = newPopup
  return contrast(white, ground) >= contrast(ink, ground) ? white : ink
}
