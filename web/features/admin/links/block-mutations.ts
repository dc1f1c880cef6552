import { adminNotices } from '#domain/texts/admin-texts.ts'
import { tables } from '#web/api/client.ts'
import type { BlockKind } from '#web/api/database-admin.ts'
import { useAdminMutation } from '../use-admin-mutation.ts'

export function useBlock() {
  return useAdminMutation({
    run: async ({ kind, value, reason }: { kind: BlockKind; value: string; reason: string }) => {
      await tables
        .rpc('admin_block', { _kind: kind, _value: value, _reason: reason })
        .throwOnError()
    },
    done: (_, { value }) => ({ ...adminNotices.blocked, description: value }),
    failed: adminNotices.blockFailed,
  })
}

export function useUnblock() {
  return useAdminMutation({
    run: async ({ kind, value }: { kind: BlockKind; value: string }) => {
      await tables.rpc('admin_unblock', { _kind: kind, _value: value }).throwOnError()
    },
    done: (_, { value }) => ({ ...adminNotices.unblocked, description: value }),
    failed: adminNotices.unblockFailed,
  })
}
