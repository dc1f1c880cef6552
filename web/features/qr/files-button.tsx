import { ChevronDown, Download } from 'lucide-react'
import { useState } from 'react'
import type { QrVerdict } from '#domain/qr/check-qr.ts'
import type { CheckState } from '#web/qr/use-qr-check.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx'
import { Popover, popoverItemClass } from '#web/ui/menus/popover.tsx'
import { problemText } from './check-card.tsx'

interface FileChoice {
  name: string
  save: () => void
}

interface FilesButtonProps {
  state: CheckState
  busy: boolean
  /** The file that is one press away. */
  main: FileChoice
  others: readonly FileChoice[]
}

/** Saves a file; others are in a menu. A code that is not safe asks first. */
export function FilesButton({ state, busy, main, others }: FilesButtonProps) {
  const [risky, setRisky] = useState<{ verdict: QrVerdict; save: () => void }>()
  const unlessRisky = (save: () => void) => {
    if (typeof state === 'object' && state.smallest === undefined)
      setRisky({ verdict: state, save })
    else save()
  }
  return (
    <div className="flex">
      <Button
        look="ink"
        busy={busy}
        className="grow rounded-r-none!"
        onClick={() => unlessRisky(main.save)}
      >
        <Download size={17} aria-hidden />
        {main.name}
      </Button>
      <Popover
        label="Other files"
        icon={<ChevronDown size={17} aria-hidden />}
        buttonClass={`${buttonClass('ink')} rounded-l-none! border-l! border-l-paper/30! px-2.5!`}
      >
        {others.map(({ name, save }) => (
          <button
            key={name}
            type="button"
            className={popoverItemClass}
            onClick={() => unlessRisky(save)}
          >
            {name}
          </button>
        ))}
      </Popover>
      <ConfirmDialog
        subject={risky}
        title="This code may not scan"
        describe={({ verdict }) => `${problemText(verdict)} A printed code cannot be mended.`}
        action="Download anyway"
        busyAction="Download anyway"
        busy={false}
        onConfirm={({ save: confirmed }) => {
          confirmed()
          setRisky(undefined)
        }}
        onClose={() => setRisky(undefined)}
      />
    </div>
  )
}
