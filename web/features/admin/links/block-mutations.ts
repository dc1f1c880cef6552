import { adminNotices } from '#domain/texts/admin-texts.ts'
import { tables } from '#web/api/client.ts'
import type { BlockKind, BlockRow } from '#web/api/database-admin.ts'
import { useAdminMutation } from '../use-admin-mutation.ts'

interface Block {
  kind: BlockKind
  value: string
  reason: string
  /** Whether the publications of a user are off too. */
  hidesPublished: boolean
}

export function useBlock() {
  return useAdminMutation({
    run: async ({ kind, value, reason, hidesPublished }: Block) => {
      await tables
        .rpc('admin_block', {
          _kind: kind,
          _value: value,
          _reason: reason,
          // Only a user publishes; a server of the last release does not know the argument.
          ...(!hidesPublished && { _hide_published: false }),
        })
        .throwOnError()
    },
    done: (_, { value }) => ({ ...adminNotices.blocked, description: value }),
    failed: adminNotices.blockFailed,
  })
}

export function useUnblock() {
  return useAdminMutation({
    run: async ({ kind, value }: { kind: BlockRow['kind']; value: string }) => {
      await tables.rpc('admin_unblock', { _kind: kind, _value: value }).throwOnError()
    },
    done: (_, { value }) => ({ ...adminNotices.unblocked, description: value }),
    failed: adminNotices.unblockFailed,
  })
}
