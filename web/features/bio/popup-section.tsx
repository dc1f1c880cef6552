import { PopupPicker } from '#web/account/popup-picker.tsx'
import { Section } from './section.tsx'

interface PopupSectionProps {
  userId: string
  value: string | null
  onChange: (popupId: string | null) => void
}

export function PopupSection(props: PopupSectionProps) {
  return (
    <Section title="Conversion Popup" hint="Visitors of your page see it once per visit.">
      <PopupPicker {...props} none="No popup" />
    </Section>
  )
}
