import { Monitor, Smartphone } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { PopupDraft } from '#domain/popups/popup-form.ts'
import { PopupPreview } from '#public-pages/popup/popup-preview.tsx'
import { Button } from '#web/ui/button.tsx'
import { useSize } from '#web/ui/hooks/use-size.ts'
import { previewViewOf } from '#web/popup-picker/popup-preview-view.ts'

/** The windows that the preview shows, in pixels. */
const views = {
  phone: { name: 'Phone', Icon: Smartphone, width: 360, height: 640 },
  desktop: { name: 'Desktop', Icon: Monitor, width: 1280, height: 800 },
} as const

type View = keyof typeof views

/** A press on a part of the preview leads to the field of this name. */
type EditableField = 'title' | 'description' | 'cta_text' | 'image_url' | 'collect_email'

const editable: readonly (readonly [EditableField, string])[] = [
  ['title', '.hp-popup-title'],
  ['description', '.hp-popup-description'],
  ['image_url', '.hp-popup-image'],
  ['collect_email', '.hp-popup-email'],
  ['cta_text', '.hp-popup-button'],
]

interface PopupLivePreviewProps {
  draft: PopupDraft
  marked: boolean
  onEdit: (field: EditableField) => void
}

/** The popup as its visitors will see it, drawn by the component that they get, in the windows that they have. */
export function PopupLivePreview({ draft, marked, onEdit }: PopupLivePreviewProps) {
  const id = useId()
  const [view, setView] = useState<View>('phone')
  const { width, height } = views[view]
  const { ref, size } = useSize()
  const scale = Math.min(1, size.width / width, size.height / height)
  const field = useFieldUnderPointer(ref, onEdit)

  return (
    <section aria-labelledby={id} className="grid gap-3">
      <div className="flex min-h-10 items-center justify-between gap-3">
        <h2 id={id} className="text-sm font-medium text-ink-soft">
          Live Preview
        </h2>
        <fieldset className="flex gap-1">
          <legend className="sr-only">Window</legend>
          {Object.entries(views).map(([key, { name, Icon }]) => (
            <Button
              key={key}
              size="small"
              look={view === key ? 'plain' : 'quiet'}
              aria-pressed={view === key}
              onClick={() => setView(key === 'desktop' ? 'desktop' : 'phone')}
            >
              <Icon size={16} aria-hidden />
              {name}
            </Button>
          ))}
        </fieldset>
      </div>
      <p className="sr-only">A picture of the popup. The form says the same in words.</p>
      <div
        ref={ref}
        data-pointed={field}
        className="grid h-[min(40rem,100dvh-15rem)] min-h-60 place-items-center overflow-hidden data-pointed:cursor-pointer"
      >
        <div className="overflow-hidden rounded-2xl border border-line bg-sunken">
          {scale === 0 ? null : (
            <PopupPreview
              popup={previewViewOf(draft, marked)}
              width={width}
              height={height}
              scale={scale}
            />
          )}
        </div>
      </div>
    </section>
  )
}

/** The editable part of the preview under the pointer. A press on it calls `onEdit`; keys reach the fields without it. */
function useFieldUnderPointer(
  ref: React.RefObject<HTMLDivElement | null>,
  onEdit: (field: EditableField) => void,
): EditableField | undefined {
  const [field, setField] = useState<EditableField>()
  const edit = useRef(onEdit)
  useEffect(() => {
    edit.current = onEdit
  })
  useEffect(() => {
    const box = ref.current
    if (box === null) return
    // The preview is inert, so that nothing in it can be focused or followed: no event names its parts.
    const fieldAt = ({ clientX: x, clientY: y }: MouseEvent) =>
      editable.find(([, selector]) => {
        const part = box.querySelector(selector)?.getBoundingClientRect()
        return part && x >= part.left && x <= part.right && y >= part.top && y <= part.bottom
      })?.[0]
    const listening = new AbortController()
    const { signal } = listening
    box.addEventListener('pointermove', (event) => setField(fieldAt(event)), { signal })
    box.addEventListener('pointerleave', () => setField(undefined), { signal })
    box.addEventListener(
      'click',
      (event) => {
        const pressed = fieldAt(event)
        if (pressed !== undefined) edit.current(pressed)
      },
      { signal },
    )
    return () => listening.abort()
  }, [ref])
  return field
}
