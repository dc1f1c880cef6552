import { renderLetter } from './layout.ts'
import type { Sender } from './settings.ts'
import { writeLetter } from './templates.ts'
import type { Message } from './transport.ts'

interface Wanted {
  id: string
  template: string
  recipient: string
  data: unknown
  created_at: Date
}

/** The whole message; the same each time, so that a mail sent twice after a crash is shown once. */
export function compose(
  { id, template, recipient, data, created_at: date }: Wanted,
  { from, publicUrl }: { from: Sender; publicUrl: string },
): Message {
  const { subject, text, html } = renderLetter(writeLetter(template, data), publicUrl)
  return {
    id,
    template,
    subject,
    text,
    html,
    date,
    from,
    to: { name: '', address: recipient },
    envelope: { from: from.address, to: [recipient] },
    messageId: `<${id}@${from.address.replace(/^.*@/, '')}>`,
    // No out-of-office answers, please.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  }
}
