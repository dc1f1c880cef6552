import { useLazyPart } from '#web/ui/hooks/use-lazy-part.ts'

const loadChosenPopup = async () => (await import('./chosen-popup.tsx')).ChosenPopup

interface LazyChosenPopupProps {
  userId: string
  popupId: string
}

/** Its script and styles are those of visitors' pages, and come when a popup is chosen. The place is there before. */
export function LazyChosenPopup(props: LazyChosenPopupProps) {
  const { Part: ChosenPopup } = useLazyPart(true, loadChosenPopup)
  return (
    <div className="relative h-[210px] overflow-hidden rounded-2xl border border-line bg-sunken">
      {ChosenPopup === undefined ? null : <ChosenPopup {...props} />}
    </div>
  )
}
