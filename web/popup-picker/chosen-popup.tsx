import { useQuery } from '@tanstack/react-query'
import { popupDraftOf } from '#domain/popups/popup-form.ts'
import { popupNameOf } from '#domain/popups/popup-name.ts'
import { oneRowOf, tables } from '#web/api/client.ts'
import { usePlan } from '#web/plan/plan.ts'
import { PopupThumbnail } from './popup-thumbnail.tsx'

interface ChosenPopupProps {
  userId: string
  popupId: string
}

/** The popup that is chosen, as visitors will get it, small. A popup that is switched off is pale, and says so. */
export function ChosenPopup({ userId, popupId }: ChosenPopupProps) {
  const marked = usePlan(userId)?.plan === 'free'
  const { data: popup } = useQuery({
    // Below the list's key: changes of popups change this one.
    queryKey: ['popups', userId, 'chosen', popupId],
    queryFn: ({ signal }) =>
      oneRowOf(tables.from('popups').select('*').eq('id', popupId).eq('user_id', userId), signal),
  })
  if (popup === undefined || popup === null) return null
  return (
    <>
      <figure
        aria-label={`Preview of the popup “${popupNameOf(popup)}”`}
        className={popup.is_active ? '' : 'opacity-45 grayscale'}
      >
        <PopupThumbnail draft={popupDraftOf(popup)} marked={marked} height={208} />
      </figure>
      {popup.is_active ? null : (
        <p className="absolute inset-x-0 bottom-0 bg-surface px-3 py-1.5 text-center text-xs text-ink-soft">
          Off: visitors go straight on
        </p>
      )}
    </>
  )
}
