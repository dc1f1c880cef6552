import { renderEmail } from './layout.ts'
import type { LeasedEmail } from './queue.ts'
import type { Sender } from './settings.ts'
import { writeEmail } from './templates.ts'
import type { OutgoingMessage } from './transport.ts'

/** The whole message, identical for each attempt, so that an email that is sent twice after a crash is shown once. */
export function compose(
  { id, template, recipient, data, created_at: date }: Omit<LeasedEmail, 'attempts'>,
  { from, publicUrl }: { from: Sender; publicUrl: string },
): OutgoingMessage {
  const { subject, text, html } = renderEmail(writeEmail(template, data), publicUrl)
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
    // Asks for no out-of-office replies.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  }
}
