import type { PopupTexts } from './answers.ts'

const emailWords =
  /\be-?mails?\b|\binbox\b|e-mail-?adress|\bcorreos?\b|\bcourriel|\bmailadres|\be-posta\b|\bemailad|электронн|\bпочт|メール|邮箱|邮件|電郵|이메일|البريد|ईमेल/iu
const ownAddress = /\be-?mail (us|me)\b/giu

/** True when a popup's texts ask visitors for their email address, so that it needs the field for it. */
export function asksForEmail({ title, description, ctaText }: PopupTexts): boolean {
  return emailWords.test(`${title}\n${description}\n${ctaText}`.replace(ownAddress, ''))
}
