import { Trash2 } from 'lucide-react'
import { Button } from '#web/ui/button.tsx'

/** The picture of the popup, with the button that takes it off. */
export function PopupPicture({ imageUrl, onRemove }: { imageUrl: string; onRemove: () => void }) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <img
        src={imageUrl}
        alt=""
        className="aspect-3/2 w-36 rounded-xl border border-line object-cover"
      />
      <Button size="small" onClick={onRemove}>
        <Trash2 size={16} aria-hidden />
        <span>
          Remove<span className="sr-only"> image</span>
        </span>
      </Button>
    </div>
  )
}
