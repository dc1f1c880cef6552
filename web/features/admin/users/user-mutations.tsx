import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { adminNotices } from '#domain/texts/admin-texts.ts'
import { useSession } from '#web/session/session.ts'
import { tables } from '#web/api/client.ts'
import { useAdminMutation } from '../use-admin-mutation.ts'
import { useSignInAgain } from './use-sign-in-again.tsx'

/** Null: stays as it is. */
export interface UserChange {
  id: string
  displayName: string | null
  role: string | null
  plan: string | null
}

/** Editing and deleting accounts. Both may ask for the password, in `dialog`. */
export function useUserMutations() {
  const client = useQueryClient()
  const router = useRouter()
  const session = useSession()
  const { withSignIn, dialog } = useSignInAgain()

  // An admin may change the account at hand too: then the app's data about it is old.
  async function readOwnAccountAgain(id: string) {
    if (session.status !== 'signed-in' || session.userId !== id) return
    await client.refetchQueries({ queryKey: ['account', id] })
    await router.invalidate()
  }

  const saveUser = useAdminMutation({
    run: (user: UserChange) =>
      withSignIn(async () => {
        await tables
          .rpc('admin_update_user', {
            _user_id: user.id,
            _display_name: user.displayName,
            _role: user.role,
            _plan_type: user.plan,
          })
          .throwOnError()
        await readOwnAccountAgain(user.id)
      }),
    done: adminNotices.userUpdated,
    failed: adminNotices.userUpdateFailed,
  })

  const deleteUser = useAdminMutation({
    run: ({ id }: { id: string }) =>
      withSignIn(async () => {
        await tables.rpc('admin_delete_user', { _user_id: id }).throwOnError()
      }),
    done: adminNotices.userDeleted,
    failed: adminNotices.userDeleteFailed,
  })

  return { saveUser, deleteUser, dialog }
}
