import { missedCodeTexts } from '#domain/texts/link-texts.ts'
import { MissedCodes } from '#web/missed-codes/missed-codes.tsx'
import { useSession } from '#web/session/session.ts'
import { AdminPage } from '../admin-page.tsx'

export function AllMissedCodesScreen() {
  const session = useSession()
  return (
    <AdminPage title="Missing Codes" intro={missedCodeTexts.introOfAll}>
      {session.status === 'signed-in' ? <MissedCodes userId={session.userId} /> : null}
    </AdminPage>
  )
}
