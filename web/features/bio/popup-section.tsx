import { PopupPicker } from '#web/popup-picker/popup-picker.tsx'
import { EditorSection } from './editor-section.tsx'

interface PopupSectionProps {
  userId: string
  value: string | null
  onChange: (popupId: string | null) => void
}

export function PopupSection(props: PopupSectionProps) {
  return (
    <EditorSection title="Conversion Popup" hint="Shown once per visit.">
      <PopupPicker {...props} none="No popup" />
    </EditorSection>
  )
}
