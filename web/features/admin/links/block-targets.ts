import type { AdminLinkRow } from '#web/database-admin.ts'
import type { BlockTarget } from './block-dialog.tsx'

/** Targets of a block of a link: the link, the host it leads to, its owner. */
export function blockTargets(link: AdminLinkRow): BlockTarget[] {
  const host = URL.canParse(link.original_url) ? new URL(link.original_url).hostname : ''
  return [
    { kind: 'link', value: link.short_code, name: link.short_code },
    ...(host === '' ? [] : [{ kind: 'host' as const, value: host, name: host }]),
    { kind: 'user', value: link.user_id, name: link.email ?? link.user_id },
  ]
}
